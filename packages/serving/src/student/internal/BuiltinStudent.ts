/** A student that answers in this process. */
import type { Partition } from "@limbeck/core/partition/Partition"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AliasRequest } from "../../answer/internal/DeploymentCall.ts"
import * as DialectRequest from "../../answer/internal/DialectRequest.ts"
import { type Deployment, modelOf } from "../../deployment/Deployment.ts"
import type { Students } from "../Students.ts"
import type { ChatRequest } from "./ChatRequest.ts"
import * as ChatResponse from "./ChatResponse.ts"
import * as DialectResponse from "./DialectResponse.ts"
import * as LabelLogprobs from "./LabelLogprobs.ts"
import type { LoadedStudent, Prediction } from "./Student.ts"
import { StudentFailed, type StudentResponse } from "./StudentResponse.ts"

/** Whether the answer may be given where these tools are offered. */
const isAllowed = (student: LoadedStudent, { tools: offered }: ChatRequest, call: ToolAnswers.ToolCall | undefined) => {
  if (offered === null) return call === undefined
  const { choice, tools } = offered
  if (tools === undefined || choice === null || !student.knowsTools(tools)) return false
  if (call === undefined) return choice === "auto"
  const isOffered = tools.some((tool) => ToolAnswers.nameOf(tool) === call.name)
  return isOffered && (typeof choice === "string" || choice.name === call.name)
}

/** The reason for a fallback; null for a usable prediction. */
export const doubtOf = (
  { fallback }: Deployment,
  student: LoadedStudent,
  request: ChatRequest,
  { confidence, isNew, isUnknownTemplate, text }: Prediction
): StudentResponse["doubt"] => {
  const call = ToolAnswers.callOf(text)
  const isOtherForm = request.wantsJson && call === undefined && LabelRules.structureOf(text) === undefined
  if (request.hasMedia || isOtherForm || !isAllowed(student, request, call)) return "unsupported"
  if (isUnknownTemplate) return "unknown_template"
  if (isNew) return "out_of_distribution"
  return confidence < (fallback?.belowConfidence ?? 0) ? "confidence" : null
}

/** The student in memory. */
export const load = (students: Students["Service"], partition: Partition, studentModel: string) =>
  Effect.mapError(
    students.load(partition, studentModel),
    ({ _tag, message }) =>
      new StudentFailed({
        reason: "failed",
        message: _tag === "StorageError" ? "cannot be loaded now" : `cannot be loaded: ${message}`
      })
  )

/** `request`: the chat completion that `asked` is. The answer carries the id of the captured call, in the dialect of `asked`. */
export const ask = Effect.fnUntraced(function* (
  students: Students["Service"],
  partition: Partition,
  deployment: Deployment,
  request: ChatRequest,
  asked: AliasRequest
) {
  const { studentModel } = deployment
  const student = yield* load(students, partition, studentModel)
  // A student of decisions has no text to answer with.
  if (student.questions.length > 0) {
    return yield* new StudentFailed({ reason: "unsupported", message: "answers decisions only" })
  }
  const prediction = yield* student.predict(request.messages)
  const now = yield* Clock.currentTimeMillis
  const origin = { call: asked.call, model: modelOf(deployment), deployment: deployment.id, studentModel, now }
  const { confidence, text } = prediction
  const { topLogprobs } = request
  const isCall = ToolAnswers.callOf(text) !== undefined
  const logprobs = topLogprobs === null || isCall ? null : LabelLogprobs.of(student.labels, prediction, topLogprobs)
  const response =
    asked.endpoint === "chat.completions"
      ? ChatResponse.make(origin, prediction, request, logprobs)
      : DialectResponse.make(asked.endpoint, yield* DialectRequest.headOf(asked), origin, prediction)
  const answer: StudentResponse & { readonly text: string } = {
    response,
    confidence,
    doubt: doubtOf(deployment, student, request, prediction),
    studentMicros: prediction.costMicros ?? undefined,
    text
  }
  return answer
})
