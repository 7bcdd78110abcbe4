/**
 * Divides the fields of a JSON answer between student and fallback, for a deployment with `fields: closed_only`. The fallback receives one
 * request with a schema of the free fields.
 *
 *     schema of the request ── unknown to the student, or absent ──▶ the fallback answers all
 *             │
 *             ├── closed fields alone ──▶ as for a whole answer
 *             └── free ones too ── the student is unsure ──▶ the fallback answers all
 *                                └──────────────────────────▶ the fallback answers the free ones: merged
 */
import * as AnswerSchemas from "@limbeck/capture/dialect/fields/AnswerSchemas"
import * as FieldAnswers from "@limbeck/capture/dialect/fields/FieldAnswers"
import type { UpstreamFailure, UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import { isObject } from "@limbeck/core/json/Json"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import { modelOf } from "../../deployment/Deployment.ts"
import * as BuiltinStudent from "../../student/internal/BuiltinStudent.ts"
import * as ChatRequest from "../../student/internal/ChatRequest.ts"
import type { FallbackReason, StudentResponse } from "../../student/internal/StudentResponse.ts"
import type { Students } from "../../student/Students.ts"
import type { AliasRequest, DeploymentCall } from "./DeploymentCall.ts"
import * as DialectRequest from "./DialectRequest.ts"

/** The student's fields, and the request for the free fields. */
export interface PartialAnswer {
  readonly confidence: number
  readonly split: FieldAnswers.FieldSplit
  readonly request: AliasRequest
  /** Makes the caller's response from the fallback's response. */
  readonly mix: (response: UpstreamResponse) => Effect.Effect<UpstreamResponse, UpstreamFailure>
}

type StudentCost = Pick<StudentResponse, "studentMicros">

export type FieldPlan =
  /** Without free fields the student answers alone. */
  | { readonly _tag: "Whole" }
  | (StudentCost & { readonly _tag: "Upstream"; readonly reason: FallbackReason; readonly confidence: number | null })
  | (StudentCost & { readonly _tag: "Partial"; readonly answer: PartialAnswer })

const encoder = new TextEncoder()

/** Undefined for a schema with properties or values unknown to the student. */
const splitOf = (
  { properties }: AnswerSchemas.AnswerSchema,
  known: Schema.JsonObject,
  free: ReadonlyArray<string>
): FieldAnswers.FieldSplit | undefined => {
  const names = Object.keys(properties)
  const student = names.filter((name) => Object.hasOwn(known, name))
  const upstream = names.filter((name) => !Object.hasOwn(known, name))
  const isKnown = student.length === Object.keys(known).length && upstream.every((name) => free.includes(name))
  return isKnown && student.every((name) => AnswerSchemas.fits(properties[name]!, known[name]!))
    ? { student, upstream }
    : undefined
}

/** Reduces the request to these properties, without streaming. */
const requestFor = (
  request: AliasRequest,
  members: Schema.JsonObject,
  schema: AnswerSchemas.AnswerSchema,
  names: ReadonlyArray<string>
): AliasRequest => {
  const {
    stream: _,
    stream_options: __,
    ...rest
  } = AnswerSchemas.replaceAt(members, schema.path, AnswerSchemas.cut(schema, names))
  // This server merges the answer, and reads no codings here.
  const headers = { ...request.headers, "accept-encoding": "identity" }
  return { ...request, headers, body: encoder.encode(JSON.stringify(rest)), parsed: undefined }
}

export const plan = Effect.fnUntraced(function* (students: Students["Service"], call: DeploymentCall) {
  const { deployment, partition, request } = call
  const asked = yield* DialectRequest.forStudent(request)
  const chat = yield* ChatRequest.read(asked.request.body)
  const head = yield* DialectRequest.headOf(request)
  const student = yield* BuiltinStudent.load(students, partition, deployment.studentModel)
  const schema = AnswerSchemas.find(request.endpoint, head.request)
  let studentMicros: number | undefined
  const upstream = (reason: FallbackReason, confidence: number | null): FieldPlan => ({
    _tag: "Upstream",
    reason,
    confidence,
    studentMicros
  })
  if (schema === undefined || chat.choices > 1) return upstream("unsupported", null)
  const prediction = yield* student.predict(chat.messages)
  studentMicros = prediction.costMicros ?? undefined
  const known = LabelRules.structureOf(prediction.text)
  const split = isObject(known) ? splitOf(schema, known, student.free) : undefined
  if (!isObject(known) || split === undefined) return upstream("unsupported", prediction.confidence)
  if (split.upstream.length === 0) return { _tag: "Whole" } satisfies FieldPlan
  const doubt = BuiltinStudent.doubtOf(deployment, student, chat, prediction)
  const { confidence } = prediction
  if (doubt !== null) return upstream(doubt, confidence)
  const { studentModel } = deployment
  const service = { deployment: deployment.id, student_model: studentModel, confidence, fields: { ...split } }
  const mixed = {
    endpoint: request.endpoint,
    head: { ...head, model: modelOf(deployment), service },
    schema,
    split,
    known
  }
  const answer: PartialAnswer = {
    confidence,
    split,
    request: requestFor(request, head.request, schema, split.upstream),
    mix: (response) => FieldAnswers.mixResponse(mixed, response)
  }
  return { _tag: "Partial", answer, studentMicros } satisfies FieldPlan
})
