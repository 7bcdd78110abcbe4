/** Asks a student in shadow for its message. */
import * as CallOf from "@limbeck/capture/call/CallOf"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { isSuccess, type UpstreamResponse } from "@limbeck/capture/upstream/Upstream"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { DeploymentCall } from "../../answer/internal/DeploymentCall.ts"
import * as BuiltinStudent from "../../student/internal/BuiltinStudent.ts"
import * as ChatRequest from "../../student/internal/ChatRequest.ts"
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

/** The message of a chat completion, packed or streamed as it may be; null where there is none. */
export const messageOf = (headers: UpstreamResponse["headers"], chunks: ReadonlyArray<Uint8Array>) =>
  Effect.map(
    CallOf.completionOf({
      endpoint: "chat.completions",
      contentType: headers["content-type"] ?? null,
      contentEncoding: headers["content-encoding"] ?? null,
      response: chunks
    }),
    messageIn
  )

export const timed = Effect.fnUntraced(function* <A, E, R>(asking: Effect.Effect<A, E, R>) {
  const startedAt = yield* Clock.currentTimeMillis
  const result = yield* Effect.result(asking)
  const createdAt = yield* Clock.currentTimeMillis
  return { result, createdAt, latencyMillis: Math.max(0, createdAt - startedAt) }
})

const failed = (message: string) => new StudentFailed({ reason: "failed", message })

export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const students = yield* Students

  const askBuiltin = Effect.fnUntraced(function* ({ deployment, partition, request }: DeploymentCall) {
    const chat = yield* Effect.mapError(ChatRequest.read(request.body), (error) =>
      failed(`cannot read the request: ${error.message}`)
    )
    const { confidence, text } = yield* BuiltinStudent.ask(students, partition, deployment, chat, request.call)
    const answer: StudentMessage = { message: { role: "assistant", content: text }, confidence }
    return answer
  }, Effect.scoped)

  const askEndpoint = Effect.fnUntraced(
    function* ({ deployment, partition, request }: DeploymentCall) {
      const { response } = yield* endpointStudent.ask(partition, deployment, request)
      if (!isSuccess(response.status)) return yield* failed(`answered ${response.status}`)
      const chunks = yield* Stream.runCollect(response.body)
      const answer: StudentMessage = { message: yield* messageOf(response.headers, chunks), confidence: null }
      return answer
    },
    Effect.catchTag("UpstreamFailure", ({ reason }) => failed(`broke off: ${reason}`)),
    Effect.scoped,
    Effect.timeoutOrElse({ duration: CaptureLimits.timeoutMillis, orElse: () => failed("did not end") })
  )

  /** A builtin student has a turn of the event loop to itself: calls that arrive meanwhile wait for one prediction at most. */
  const ask = (call: DeploymentCall) =>
    call.deployment.endpoint === null
      ? Effect.andThen(Effect.yieldNow, timed(askBuiltin(call)))
      : timed(askEndpoint(call))

  return { ask }
})
