/** Asks a student in shadow for its message. */
import * as CallOf from "@limbeck/capture/call/CallOf"
import type { CallEndpoint } from "@limbeck/capture/call/CapturedCall"
import type { ConversationEndpoint } from "@limbeck/capture/dialect/CallConversation"
import * as CallConversation from "@limbeck/capture/dialect/CallConversation"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { isSuccess, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import type { InvalidInput } from "@limbeck/core/errors/Errors"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { DeploymentCall } from "../../answer/internal/DeploymentCall.ts"
import * as DialectRequest from "../../answer/internal/DialectRequest.ts"
import * as BuiltinStudent from "../../student/internal/BuiltinStudent.ts"
import * as ChatRequest from "../../student/internal/ChatRequest.ts"
import { callIdOf } from "../../student/internal/ChatResponse.ts"
import type { EndpointStudent } from "../../student/internal/EndpointStudent.ts"
import type { ChatMessage } from "../../student/internal/Student.ts"
import { StudentFailed } from "../../student/internal/StudentResponse.ts"
import { Students } from "../../student/Students.ts"

interface StudentMessage {
  readonly message: ChatMessage | null
  readonly confidence: number | null
}

const isMessage = (value: unknown): value is ChatMessage =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string"

/** Of the first choice. */
const messageIn = (completion: unknown): ChatMessage | null => {
  const choices: unknown = Object(completion).choices
  const message: unknown = Array.isArray(choices) ? Object(choices[0]).message : undefined
  return isMessage(message) ? message : null
}

const translatedMessage = (endpoint: ConversationEndpoint, answer: unknown): ChatMessage | null => {
  // It was parsed from JSON.
  const message = CallConversation.readerOf(endpoint).answer(answer as Schema.Json | undefined)
  return Result.isSuccess(message) && isMessage(message.success) ? message.success : null
}

/** The parsed body of an answer, packed or streamed as it may be; undefined where it cannot be read. */
export const bodyOf = (
  endpoint: CallEndpoint,
  headers: UpstreamResponse["headers"],
  chunks: ReadonlyArray<Uint8Array>
) =>
  CallOf.completionOf({
    endpoint,
    contentType: headers["content-type"] ?? null,
    contentEncoding: headers["content-encoding"] ?? null,
    response: chunks
  })

/** The message of an answer as a chat completion writes it; null where there is none. */
export const messageOf = (
  endpoint: CallEndpoint,
  headers: UpstreamResponse["headers"],
  chunks: ReadonlyArray<Uint8Array>
) =>
  Effect.map(bodyOf(endpoint, headers, chunks), (answer) =>
    CallConversation.isConversation(endpoint) && endpoint !== "chat.completions"
      ? translatedMessage(endpoint, answer)
      : messageIn(answer)
  )

export const measure = Effect.fnUntraced(function* <A, E, R>(asking: Effect.Effect<A, E, R>) {
  const startedAt = yield* Clock.currentTimeMillis
  const result = yield* Effect.result(asking)
  const createdAt = yield* Clock.currentTimeMillis
  return { result, createdAt, latencyMillis: Math.max(0, createdAt - startedAt) }
})

const failed = (message: string) => new StudentFailed({ reason: "failed", message })

const unreadable = (error: InvalidInput) => failed(`cannot read the request: ${error.message}`)

export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const students = yield* Students

  const askBuiltin = Effect.fnUntraced(function* ({ deployment, partition, request }: DeploymentCall) {
    const chat = yield* Effect.mapError(
      Effect.flatMap(DialectRequest.forStudent(request), (asked) => ChatRequest.read(asked.request.body)),
      unreadable
    )
    const asked = BuiltinStudent.ask(students, partition, deployment, chat, request)
    const { confidence, text } = yield* Effect.catchTag(asked, "InvalidInput", (error) =>
      Effect.fail(unreadable(error))
    )
    const answer: StudentMessage = { message: ToolAnswers.messageOf(text, callIdOf(request.call)), confidence }
    return answer
  }, Effect.scoped)

  const askEndpoint = Effect.fnUntraced(
    function* ({ deployment, partition, request }: DeploymentCall) {
      const asked = yield* Effect.mapError(DialectRequest.forStudent(request), unreadable)
      const isMeasured = deployment.studentConfidence !== null
      const { confidence, response } = yield* endpointStudent.ask(partition, deployment, asked.request, isMeasured)
      if (!isSuccess(response.status)) return yield* failed(`answered ${response.status}`)
      const chunks = yield* Stream.runCollect(Body.toStream(response.body))
      const message = yield* messageOf("chat.completions", response.headers, chunks)
      const answer: StudentMessage = { message, confidence }
      return answer
    },
    Effect.catchTag("UpstreamFailure", ({ reason }) => failed(`broke off: ${reason}`)),
    Effect.scoped,
    Effect.timeoutOrElse({ duration: CaptureLimits.timeoutMillis, orElse: () => failed("did not end") })
  )

  /** A builtin student has a turn of the event loop to itself: calls that arrive meanwhile wait for one prediction at most. */
  const ask = (call: DeploymentCall) =>
    call.deployment.endpoint === null
      ? Effect.andThen(Effect.yieldNow, measure(askBuiltin(call)))
      : measure(askEndpoint(call))

  return { ask }
})
