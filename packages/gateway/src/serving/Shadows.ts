/**
 * Students that listen: once an answer was given, they are asked the same, and what they say is written down beside it. Never
 * on the answer's way: what cannot be kept up with is dropped and counted.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as CallOf from "../capture/CallOf.ts"
import { Decoder } from "../capture/Decoder.ts"
import { Recorder } from "../capture/Recorder.ts"
import { type ChatMessage, Students } from "../deployment/Students.ts"
import { Limits } from "../Limits.ts"
import type { Durability } from "../source/Source.ts"
import { isSuccess, type UpstreamAnswer } from "../upstream/Upstream.ts"
import type { Asked } from "./Answering.ts"
import * as BuiltinStudent from "./BuiltinStudent.ts"
import * as ChatRequest from "./ChatRequest.ts"
import type { EndpointStudent } from "./EndpointStudent.ts"
import { StudentFailed } from "./StudentSaid.ts"

interface Given {
  /** Null where there is no good answer, or too much of it. */
  readonly chunks: ReadonlyArray<Uint8Array> | null
  readonly bytes: number
}

type Head = Pick<UpstreamAnswer, "headers" | "status">

interface Waiting extends Asked, Given {
  readonly head: Head
  /** Of the call. */
  readonly durability: Durability
}

interface Said {
  readonly message: ChatMessage | null
  readonly confidence: number | null
}

export interface ShadowFigures {
  readonly waiting: number
  /** Copies that were given up since the process began. */
  readonly dropped: number
}

const isMessage = (value: unknown): value is ChatMessage =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string"

/** Of the first choice. */
const messageIn = (completion: unknown): ChatMessage | null => {
  const choices: unknown = Object(completion).choices
  const message: unknown = Array.isArray(choices) ? Object(choices[0]).message : undefined
  return isMessage(message) ? message : null
}

const messageOf = ({ headers }: Head, chunks: ReadonlyArray<Uint8Array>) =>
  Effect.map(
    CallOf.completionOf({
      endpoint: "chat.completions",
      contentType: headers["content-type"] ?? null,
      contentEncoding: headers["content-encoding"] ?? null,
      response: chunks
    }),
    messageIn
  )

const timed = Effect.fnUntraced(function* <A, E, R>(asking: Effect.Effect<A, E, R>) {
  const startedAt = yield* Clock.currentTimeMillis
  const asked = yield* Effect.result(asking)
  const createdAt = yield* Clock.currentTimeMillis
  return { asked, createdAt, latencyMillis: Math.max(0, createdAt - startedAt) }
})

const failed = (message: string) => new StudentFailed({ reason: "failed", message })

const isGood = ({ status }: Head, bytes: number): boolean => isSuccess(status) && bytes <= Limits.answerBytesMax

const nothing: Given = { chunks: null, bytes: 0 }

/** Of an answer that came at once. */
const givenAtOnce = (head: Head, whole: Uint8Array): Given =>
  isGood(head, whole.length) ? { chunks: [whole], bytes: whole.length } : nothing

/** Answers the answer itself; `ended` hears what went by. */
const overhear = (answer: UpstreamAnswer, ended: (given: Given) => void): UpstreamAnswer => {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  const length = Number(answer.headers["content-length"] ?? Number.POSITIVE_INFINITY)
  // Who has all of it need not wait for the end.
  const isWhole = (exit: Exit.Exit<unknown, unknown>) => Exit.isSuccess(exit) || bytes >= length
  const body = answer.body.pipe(
    Stream.mapArray((part) => {
      for (const chunk of part) {
        bytes += chunk.length
        if (isGood(answer, bytes)) chunks.push(chunk)
      }
      return part
    }),
    Stream.onExit((exit) =>
      Effect.sync(() => ended(isWhole(exit) && isGood(answer, bytes) ? { chunks, bytes } : nothing))
    )
  )
  return { ...answer, body }
}

export const make = Effect.fnUntraced(function* (endpointStudent: EndpointStudent) {
  const students = yield* Students
  const recorder = yield* Recorder
  const decoder = yield* Decoder
  const lanes = { here: yield* Queue.unbounded<Waiting>(), elsewhere: yield* Queue.unbounded<Waiting>() }
  let waiting = 0
  let waitingBytes = 0
  let dropped = 0

  const sizeOf = ({ bytes, message }: Waiting): number => bytes + (message.body?.length ?? 0)

  const offer = (copy: Waiting) => {
    const size = sizeOf(copy)
    if (waiting >= Limits.shadowsMax || waitingBytes + size > Limits.shadowsBytesMax) {
      dropped++
      return
    }
    waiting++
    waitingBytes += size
    Queue.offerUnsafe(copy.deployment.endpoint === null ? lanes.here : lanes.elsewhere, copy)
  }

  /** One student at a time in a turn of the loop: calls that arrive meanwhile wait for one answer at most. */
  const turn = Semaphore.makeUnsafe(1)

  const askHere = Effect.fnUntraced(function* ({ deployment, message, partition }: Asked) {
    const request = yield* Effect.mapError(Effect.fromResult(ChatRequest.read(message.body)), (error) =>
      failed(`cannot read the request: ${error.message}`)
    )
    const { confidence, text } = yield* BuiltinStudent.ask(students, partition, deployment, request, message.call)
    const said: Said = { message: { role: "assistant", content: text }, confidence }
    return said
  }, Effect.scoped)

  const askElsewhere = Effect.fnUntraced(
    function* ({ deployment, message, partition }: Asked) {
      const { answer } = yield* endpointStudent.ask(partition, deployment, message)
      if (!isSuccess(answer.status)) return yield* failed(`answered ${answer.status}`)
      const chunks = yield* Stream.runCollect(answer.body)
      const said: Said = { message: yield* messageOf(answer, chunks), confidence: null }
      return said
    },
    Effect.catchTag("UpstreamFailure", ({ reason }) => failed(`broke off: ${reason}`)),
    Effect.scoped,
    Effect.timeoutOrElse({ duration: Limits.timeoutMillis, orElse: () => failed("did not end") })
  )

  const ask = (copy: Asked) =>
    copy.deployment.endpoint === null
      ? turn.withPermits(1)(Effect.andThen(Effect.yieldNow, timed(askHere(copy))))
      : timed(askElsewhere(copy))

  const perform = Effect.fnUntraced(function* (copy: Waiting) {
    const { chunks, deployment, durability, head, message, partition } = copy
    const { asked, createdAt, latencyMillis } = yield* ask(copy)
    const said = asked._tag === "Success" ? asked.success : { message: null, confidence: null }
    const given = chunks === null || said.message === null ? null : yield* messageOf(head, chunks)
    yield* recorder.record(
      {
        kind: "shadow",
        partition: partition.key,
        call: message.call,
        deployment: deployment.id,
        error: asked._tag === "Success" ? null : asked.failure.message,
        message: said.message === null ? null : JSON.stringify(said.message),
        confidence: said.confidence,
        latencyMillis,
        agrees: said.message === null || given === null ? null : students.saysTheSame(given, said.message),
        createdAt
      },
      durability
    )
  })

  const next = (lane: Queue.Queue<Waiting>) =>
    Effect.flatMap(Queue.take(lane), (copy) =>
      perform(copy).pipe(
        Effect.provideService(Decoder, decoder),
        Effect.catchCause((cause) => Effect.logError("a student in shadow met a defect", cause)),
        Effect.ensuring(
          Effect.sync(() => {
            waiting--
            waitingBytes -= sizeOf(copy)
          })
        )
      )
    )
  for (let worker = 0; worker < Limits.shadowsAtOnce; worker++) {
    for (const lane of [lanes.here, lanes.elsewhere]) yield* Effect.forkScoped(Effect.forever(next(lane)))
  }

  /** The same answer; when it has been given, the student is asked. What it says is kept as the call is. */
  const listen = Effect.fnUntraced(function* (copy: Asked, answer: UpstreamAnswer, durability: Durability) {
    const { headers, status, whole } = answer
    const ended = (given: Given) => offer({ ...copy, ...given, head: { status, headers }, durability })
    if (whole === undefined) return overhear(answer, ended)
    // What came at once is given at once: its call ends with it.
    yield* Scope.addFinalizer(
      yield* Effect.scope,
      Effect.sync(() => ended(givenAtOnce(answer, whole)))
    )
    return answer
  })

  const figures = Effect.sync((): ShadowFigures => ({ waiting, dropped }))
  return { listen, figures }
})
