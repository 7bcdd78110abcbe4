/**
 * The error envelope (service-api 7.2), and the one table that gives every domain error its status, type, code, message and
 * `param`, made of the error's facts. A new error does not compile until it has a row.
 */

import type { BillingError } from "@limbeck/billing/Errors"
import type { CaptureError } from "@limbeck/capture/Errors"
import type { ChatError, ModelFailed } from "@limbeck/chat/Errors"
import type { DomainError } from "@limbeck/core/errors/Errors"
import { toUsd } from "@limbeck/core/money/Money"
import type { DistillError, RehearsalUnusable } from "@limbeck/distill/Errors"
import type { EvidenceLacking, ServingError, StudentWorse } from "@limbeck/serving/Errors"
import type { WebhookError } from "@limbeck/webhooks/Errors"
import * as Schema from "effect/Schema"

export const ErrorEnvelope = Schema.Struct({
  type: Schema.optionalKey(
    Schema.Literal("error").annotate({
      description: "On the proxy's messages routes alone: Anthropic's clients read it"
    })
  ),
  error: Schema.Struct({
    type: Schema.String,
    code: Schema.String,
    message: Schema.String,
    param: Schema.NullOr(Schema.String),
    request_id: Schema.String,
    retry_after_seconds: Schema.optionalKey(Schema.Finite)
  })
}).annotate({ identifier: "Error" })
export type ErrorEnvelope = typeof ErrorEnvelope.Type

/** Whatever a handler may fail with. */
export type ContractError =
  | DomainError
  | BillingError
  | CaptureError
  | DistillError
  | ServingError
  | WebhookError
  | ChatError

/** What a client can tell errors apart by. Several errors may share one. */
export interface ErrorClass {
  readonly status: number
  readonly type: string
  readonly code: string
}

export interface ErrorRow<E> extends ErrorClass {
  readonly message: (error: E) => string
  /** The invalid field or parameter of the request. */
  readonly param: (error: E) => string | null
  /** For an error that brings its own status: in place of `status`. */
  readonly ownStatus?: (error: E) => number
}

const classOf = (status: number, type: string, code = type): ErrorClass => ({ status, type, code })

const invalidRequest = classOf(400, "invalid_request_error")
const forbidden = classOf(403, "permission_error")
const missing = classOf(404, "not_found_error")
const gone = classOf(410, "not_found_error", "gone")
const quota = classOf(402, "quota_error", "quota")
const conflict = classOf(409, "conflict_error")
const teacherUnavailable = (status: number) => classOf(status, "api_error", "teacher_unavailable")
const apiError = (status: number) => classOf(status, "api_error")

/** A row from left to right; by default without a field. The row's name determines its error. */
const row = <E>(
  { code, status, type }: ErrorClass,
  message: (error: NoInfer<E>) => string,
  param: (error: NoInfer<E>) => string | null = () => null
): ErrorRow<E> => ({ status, type, code, message, param })

/** For an error with its own sentence, and for one with its field's path. */
const own = ({ message }: { readonly message: string }) => message
const ownParam = ({ param }: { readonly param: string | null }) => param
/** For an error with an optional request field. */
const field = (error: { readonly field?: string }) => error.field ?? null

const asked = ({ kind, name }: { readonly kind: "source" | "student"; readonly name: string }) =>
  kind === "source" ? `The source ${name}` : `The student of ${name}`

const contentRange = "Content-Range"

const rehearsalMessage = ({ fault, id, status }: RehearsalUnusable) => {
  switch (fault) {
    case "not_a_dry_run":
      return `Run ${id} is not a dry run`
    case "not_succeeded":
      return `The rehearsal ${id} is ${status}, not succeeded`
    case "another_plan":
      return `Run ${id} rehearsed another plan`
    case "another_version":
      return `Run ${id} rehearsed another dataset version`
  }
}

const assistantStates = {
  idle: "is idle: send a message first",
  working: "is at work: go on with its steps, or cancel the turn",
  waiting: "waits for your decision on an operation: decide, or cancel the turn"
} as const

const modelFailedMessage = ({ detail, fault, model }: ModelFailed) => {
  switch (fault) {
    case "status":
      return `The model ${model} answered with status ${detail}`
    case "broke_off":
      return `The answer of the model ${model} broke off: ${detail}`
    case "too_long":
      return `The answer of the model ${model} is too long`
    case "no_completion":
      return `The model ${model} answered no chat completion`
    case "no_text":
      return `The model ${model} answered without a text`
  }
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`

const evidenceMessage = ({ asked, compared, from, lack, low }: EvidenceLacking) => {
  if (lack === "none") {
    return (
      "The student has no evidence: its run evaluated it on no holdout, and it was compared with the upstream in no " +
      "call. Run it with the stage eval or in shadow first, or send guard: null to have none"
    )
  }
  if (lack === "questions") {
    return (
      "The student answers none of its questions in the fallback's place: its training found no threshold at which " +
      "one agrees often enough. Train it on more rows, or send guard: null to have none"
    )
  }
  if (lack === "shadow") {
    return `In shadow (${compared} compared) the student agrees too seldom for the ${percent(asked)} that guard.min_agreement would be`
  }
  const subject = from === "both" ? "Holdout and shadow together" : `The ${from}`
  const shown = `${subject} (${compared} compared) ${from === "both" ? "show" : "shows"} an agreement of at least ${percent(low)}`
  return lack === "min_agreement"
    ? `${shown}: below guard.min_agreement, ${percent(asked)}`
    : `${shown}: no more than the most frequent answer alone has, ${percent(asked)}`
}

const points = (difference: number) => (100 * difference).toFixed(1)

const worseMessage = ({ agreed, agreedInPlace, high, id, inPlace, low, rows }: StudentWorse) =>
  `Student model ${id} is worse than ${inPlace}, which is in place: of ${rows} held-out rows that both answered it agrees with the ` +
  `teacher on ${agreed} (${percent(agreed / rows)}), ${inPlace} on ${agreedInPlace} (${percent(agreedInPlace / rows)}). The difference ` +
  `is ${points(low)} to ${points(high)} points (95 %). Send guard: null to move to it all the same`

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export const errorTable: { readonly [E in ContractError as E["_tag"]]: ErrorRow<E> } = {
  // The request.
  InvalidInput: row(invalidRequest, own, ownParam),
  TooLarge: row(
    classOf(413, "invalid_request_error"),
    ({ bytesMax, content }) => `The ${content} is larger than ${bytesMax} bytes`,
    field
  ),
  CodingUnsupported: row(
    classOf(415, "invalid_request_error"),
    ({ coding, readable }) =>
      readable.length === 0
        ? "The body must be sent as it is: no content coding is taken here"
        : `The content coding ${coding} is not read: send the body as it is, or by ${readable.join(", ")}`,
    () => "Content-Encoding"
  ),
  RequestTimeout: row(classOf(408, "invalid_request_error"), ({ fault, seconds }) =>
    fault === "idle"
      ? `Nothing came of the body for ${seconds} seconds`
      : `The body was not complete after ${seconds} seconds`
  ),
  Overloaded: row(apiError(503), ({ full }) =>
    full === "connections"
      ? "The server has as many connections as it may; try again"
      : "The server holds as many bytes of requests as it may; try again"
  ),
  Unauthenticated: row(
    classOf(401, "authentication_error"),
    () => "A valid API token is required: Authorization: Bearer <API_TOKEN>"
  ),
  SignInRefused: row(
    classOf(401, "authentication_error"),
    () =>
      "This link does not let anybody in: it is wrong, was used, or has expired. Ask for a new one; who was invited and " +
      "has signed in before signs in first"
  ),
  PermissionDenied: row(forbidden, own, ownParam),
  RateLimited: row(classOf(429, "rate_limit_error"), () => "Too many requests"),
  IdempotencyKeyInFlight: row(
    classOf(409, "conflict_error", "idempotency_key_in_flight"),
    () => "The first request with this Idempotency-Key is still being processed"
  ),
  IdempotencyKeyReused: row(
    classOf(409, "conflict_error", "idempotency_key_reused"),
    () => "This Idempotency-Key was used with another request"
  ),
  // Resources of every kind.
  NotFound: row(missing, ({ id, resource }) => `No such ${resource}: ${id}`, field),
  ReferenceUnknown: row(invalidRequest, ({ id, resource }) => `No such ${resource}: ${id}`, field),
  ChangedMeanwhile: row(
    conflict,
    ({ id, resource }) => `${capitalized(resource)} ${id} was changed by somebody else at the same time; read it again`
  ),
  StorageError: row(apiError(503), () => "Storage did not answer; try again later"),
  // Tokens.
  AlreadyMember: row(
    conflict,
    ({ id }) => `${id} has this address and a role in the workspace: PATCH /v1/people/${id} changes it`,
    () => "email"
  ),
  TokenNotActive: row(conflict, ({ id }) => `Token ${id} is no longer active`),
  // Uploads.
  UploadExpired: row(gone, ({ id }) => `Upload ${id} has expired: its content did not come in time`),
  UploadAlreadySent: row(conflict, ({ id, status }) => `The content of upload ${id} was sent already: it is ${status}`),
  ContentOutOfOrder: row(
    conflict,
    ({ id, nextByte }) => `The next byte of upload ${id} is number ${nextByte}`,
    () => contentRange
  ),
  RangeExceeded: row(
    invalidRequest,
    () => "The body is longer than its range",
    () => contentRange
  ),
  TooManyParts: row(conflict, ({ partsMax }) => `The content came in more than ${partsMax} parts: send it whole`),
  ContentSuperseded: row(conflict, ({ id }) => `Other content of upload ${id} was sent at the same time`),
  // Datasets.
  ContentNotReady: row(
    conflict,
    ({ id, resource, status }) => `${capitalized(resource)} ${id} is ${status}, not succeeded`,
    field
  ),
  ContentRemoved: row(conflict, ({ id, resource }) => `The content of ${resource} ${id} is no longer kept`, field),
  VersionNotReady: row(conflict, ({ id, status }) => `Dataset version ${id} is ${status}, not ready`, field),
  VersionEmpty: row(
    conflict,
    ({ id }) => `Dataset version ${id} holds no rows`,
    () => "dataset_version"
  ),
  SuspectsUnknown: row(
    conflict,
    ({ id }) =>
      `The rows of dataset version ${id} were not examined: make a version with \`clean\`, or train the builtin student on this one`
  ),
  // Recipes and runs.
  NoStudentFits: row(
    conflict,
    () => "No student in the catalog takes work like this",
    () => "dataset_version"
  ),
  NoExecutor: row(
    conflict,
    ({ reason }) => reason,
    () => "recipe.student_model"
  ),
  RehearsalUnusable: row(conflict, rehearsalMessage, () => "validated_dry_run"),
  PlanHashMismatch: row(
    conflict,
    () => "plan_hash is not that of this data, recipe, budget and compute",
    () => "plan_hash"
  ),
  RunEnded: row(conflict, ({ id, status }) => `Run ${id} is already ${status}`),
  RunNotRetryable: row(
    conflict,
    ({ id, status }) => `Run ${id} is ${status}; only a failed or canceled run is retried`
  ),
  BudgetTooSmall: row(
    invalidRequest,
    () => "The budget must be above what the run has already spent",
    () => "budget.max_cost_usd"
  ),
  StageNotRetryable: row(
    invalidRequest,
    ({ open, stage }) =>
      open === null ? `Stage ${stage} is not part of this run` : `Stage ${open} before it has no result yet`,
    () => "from_stage"
  ),
  // Billing.
  QuotaExceeded: row(
    quota,
    ({ availableMicros, neededMicros, purpose }) =>
      `The balance of $${toUsd(availableMicros)} does not cover the $${toUsd(neededMicros)} that are held for this ${purpose}: ` +
      `top up the balance, or ${purpose === "run" ? "set a smaller budget.max_cost_usd" : "ask for fewer tokens with max_tokens"}`
  ),
  DayCostReached: row(
    quota,
    ({ leftMicros, maxMicros, neededMicros }) =>
      `This call may cost $${toUsd(neededMicros)}, and $${toUsd(leftMicros)} are left of the token's limit of $${toUsd(maxMicros)} a day: ` +
      "ask for fewer tokens with max_tokens, wait for the next UTC day, or raise limits.max_cost_usd_per_day"
  ),
  CallUnpriced: row(
    quota,
    ({ model, source }) =>
      `The source ${source} has no known price for ${model === null ? "a call without a model" : `the model ${model}`}, and the token has a limit of cost: ` +
      "state the model's price at the source"
  ),
  TokenRateReached: row(
    classOf(429, "rate_limit_error"),
    ({ perMinute }) => `The token's limit of ${perMinute} requests per minute is reached`
  ),
  TopUpReused: row(
    conflict,
    ({ postedMicros, reference }) => `The top-up ${reference} was made with another amount: $${toUsd(postedMicros)}`,
    () => "reference"
  ),
  // Reports.
  SharedReportUnknown: row(missing, () => "There is no such shared report"),
  SharedReportGone: row(gone, () => "This link was revoked, was replaced by another one, or has expired"),
  ReportNotShared: row(missing, ({ id }) => `Report ${id} is not shared`),
  ScoringOver: row(gone, ({ run }) => `The stage of run ${run} that this capability was made for is over`),
  JudgesNotAllowed: row(
    apiError(503),
    ({ run }) => `The budget of run ${run} has not reserved yet what judges may take; try again`
  ),
  // Deployments.
  AliasTaken: row(
    conflict,
    ({ alias, mode }) => `There is a deployment under ${alias} already whose mode is ${mode}`,
    field
  ),
  DeploymentRetired: row(conflict, ({ id }) => `Deployment ${id} is retired`),
  NoPreviousStudent: row(
    conflict,
    ({ deployment }) => `Deployment ${deployment} has never had another student to go back to`
  ),
  StudentNotDeployable: row(
    conflict,
    ({ id }) => `Student model ${id} was made by a stub: there is nothing to serve`,
    () => "student_model"
  ),
  EvidenceLacking: row(conflict, evidenceMessage, () => "guard"),
  StudentNotRetrainable: row(conflict, ({ id, reason }) => `Student model ${id} cannot be trained again: ${reason}`),
  StudentWorse: row(conflict, worseMessage, () => "student_model"),
  ConfidenceNotTold: row(
    conflict,
    ({ id }) =>
      `Student model ${id} tells no confidence: no answer of its evaluation had service.confidence or logprobs, so ` +
      "there is nothing to hold a threshold against. Send below_confidence: null, or serve it by a server that tells one",
    () => "fallback.below_confidence"
  ),
  FieldsUnlearnt: row(
    conflict,
    ({ fields, id }) =>
      fields === "whole"
        ? `Student model ${id} gives the closed fields of answers alone: set fields to closed_only`
        : `Student model ${id} has learnt whole answers: train one whose sft stage has fields: closed_only`,
    () => "fields"
  ),
  StudentUnservable: row(
    conflict,
    ({ id, reason }) => `Student model ${id} cannot be served: ${reason}`,
    () => "student_model"
  ),
  // Conversations.
  ConversationElsewhere: row(
    conflict,
    ({ id, sandbox }) =>
      sandbox
        ? `Conversation ${id} is of the sandbox: go on with it at POST /v1/sandbox/chat`
        : `Conversation ${id} is not of the sandbox: go on with it at POST /v1/chat`,
    () => "conversation"
  ),
  NoModel: row(
    invalidRequest,
    ({ source }) => `Name a model: the agent has none, and the source ${source} names none in its models`,
    () => "agent"
  ),
  ModelFailed: row(apiError(502), modelFailedMessage),
  AnswerTimeout: row(apiError(504), ({ secondsMax }) => `The answer was not whole within ${secondsMax} s`),
  AnswerInterrupted: row(apiError(503), ({ id }) => `The server could not finish the answer ${id}; ask again`),
  AssistantStateConflict: row(conflict, ({ id, status }) => `The conversation ${id} ${assistantStates[status]}`),
  OperationUnknown: row(
    apiError(503),
    ({ operation }) => `The outcome of ${operation} is unknown: go on, and it is asked again under the same key`
  ),
  AssistantConversationFull: row(conflict, ({ id }) => `The conversation ${id} is full: begin another one`),
  // Webhooks.
  DeliveryNotDeadLettered: row(
    conflict,
    ({ id, status }) => `Delivery ${id} is ${status}; only a dead_lettered one is redelivered`
  ),
  DeliveryTooOld: row(gone, ({ daysMax, id }) => `Delivery ${id} is older than ${daysMax} days`),
  EndpointDisabled: row(conflict, ({ id }) => `Webhook endpoint ${id} is disabled; enable it first`),
  // Sources.
  SourceNameTaken: row(
    conflict,
    ({ name }) => `There is a source named ${name}`,
    () => "name"
  ),
  SourceInUse: row(conflict, ({ alias, deployment, id, use }) =>
    use === "fallback"
      ? `Source ${id} is the fallback of deployment ${deployment}, under the alias ${alias}: change its fallback, or retire it`
      : `Source ${id} embeds the requests of deployment ${deployment}, under the alias ${alias}: change its student, or retire it`
  ),
  ReviewEntryTaken: row(
    conflict,
    ({ entry, id }) => `Entry ${entry} of review queue ${id} went to somebody else: ask for the next one`,
    () => "entry"
  ),
  VerdictGiven: row(
    conflict,
    ({ entry, id }) => `You have judged entry ${entry} of review queue ${id} otherwise: undo that first`,
    () => "entry"
  ),
  SourceIsFallback: row(
    conflict,
    ({ id, source }) => `Source ${id} is a fallback of the source ${source}: take it from there first`
  ),
  NoDefaultSource: row(invalidRequest, () => "Name a source: there is no default one", field),
  // Calls.
  TeacherModelUnknown: row(
    classOf(400, "invalid_request_error", "teacher_model_unknown"),
    ({ model, source }) => (model === null ? "The body names no model" : `The source ${source} has no model ${model}`),
    () => "model"
  ),
  TeacherRefused: {
    ...row(
      teacherUnavailable(502),
      ({ source, upstreamStatus }) => `The models of the source ${source} answered ${upstreamStatus}`
    ),
    // A redirect is no model's response.
    ownStatus: ({ upstreamStatus }) => (upstreamStatus < 400 ? 502 : upstreamStatus)
  },
  TeacherUnreachable: row(
    teacherUnavailable(502),
    ({ reason, source }) => `The source ${source} did not answer: ${reason}`
  ),
  TeacherTimeout: row(teacherUnavailable(504), ({ source }) => `The source ${source} did not answer in time`),
  CatalogUnavailable: row(
    classOf(503, "api_error", "catalog_unavailable"),
    ({ source }) => `The models of the source ${source} cannot be read now`
  ),
  ProxyLoop: row(classOf(400, "invalid_request_error", "proxy_loop"), ({ fault, proxies }) =>
    fault === "came_back"
      ? "The source leads back to this service"
      : `The call came through ${proxies} proxies, which are too many`
  ),
  DecisionRefused: row(
    invalidRequest,
    ({ fault }) =>
      fault === "stream"
        ? "Decisions are not streamed: leave stream out"
        : "questions is a list of questions, or a map of questions by name",
    ({ fault }) => fault
  ),
  UpstreamUnreachable: row(apiError(502), (error) => `${asked(error)} ${error.reason}`),
  UpstreamTimeout: row(apiError(504), (error) => `${asked(error)} did not answer in time`)
}

/** The table is keyed by tag, so an error's row takes that error; the compiler cannot follow this through a union. */
const rowOf = (error: ContractError) => errorTable[error._tag] as ErrorRow<ContractError>

export const statusOf = (error: ContractError): number => {
  const { ownStatus, status } = rowOf(error)
  return ownStatus === undefined ? status : ownStatus(error)
}

/** What a defect looks like from outside. */
export const defectClass: ErrorClass = apiError(500)

/** `message`: in place of the table's. */
export const render = (error: ContractError, requestId: string, message?: string): ErrorEnvelope => {
  const { code, message: messageOf, param, type } = rowOf(error)
  return {
    error: {
      type,
      code,
      message: message ?? messageOf(error),
      param: param(error),
      request_id: requestId,
      ...("retryAfterSeconds" in error ? { retry_after_seconds: error.retryAfterSeconds } : {})
    }
  }
}
