/** A student that answers in this process. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Deployment, modelOf } from "../../deployment/Deployment.ts"
import type { Students } from "../Students.ts"
import type { ChatRequest } from "./ChatRequest.ts"
import * as ChatResponse from "./ChatResponse.ts"
import type { Prediction } from "./Student.ts"
import { StudentFailed, type StudentResponse } from "./StudentResponse.ts"

const doubtOf = (
  { fallback }: Deployment,
  { offersTools, wantsJson }: ChatRequest,
  { confidence, isNew, text }: Prediction
): StudentResponse["doubt"] => {
  if (offersTools || (wantsJson && LabelRules.structureOf(text) === undefined)) return "unsupported"
  if (isNew) return "out_of_distribution"
  return confidence < (fallback?.belowConfidence ?? 0) ? "confidence" : null
}

/** `call`: the id of the captured call, which the answer carries. */
export const ask = Effect.fnUntraced(function* (
  students: Students["Service"],
  partition: Partition,
  deployment: Deployment,
  request: ChatRequest,
  call: string
) {
  const { studentModel } = deployment
  const student = yield* Effect.mapError(
    students.load(partition, studentModel),
    ({ _tag, message }) =>
      new StudentFailed({
        reason: "failed",
        message: _tag === "StorageError" ? "cannot be loaded now" : `cannot be loaded: ${message}`
      })
  )
  const prediction = yield* Effect.try({
    try: () => student.predict(request.messages),
    catch: () => new StudentFailed({ reason: "failed", message: "cannot answer this" })
  })
  const now = yield* Clock.currentTimeMillis
  const origin = { call, model: modelOf(deployment), deployment: deployment.id, studentModel, now }
  const { confidence, text } = prediction
  const answer: StudentResponse & { readonly text: string } = {
    response: ChatResponse.make(origin, prediction, request),
    confidence,
    doubt: doubtOf(deployment, request, prediction),
    text
  }
  return answer
})
