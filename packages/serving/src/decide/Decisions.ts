/**
 * Decisions for the program that embeds the library: of a deployment or a source by the way of every other call, captured and
 * without HTTP, and of a student that is loaded and not deployed (contract 16.22 to 16.26).
 */
import type { CallId, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { Decoder } from "@limbeck/capture/call/Decoder"
import type { DecisionRequest } from "@limbeck/capture/dialect/decisions/DecisionRequest"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import type * as SplitRules from "@limbeck/capture/dialect/decisions/SplitRules"
import { CaptureLimits } from "@limbeck/capture/Limits"
import { type CallError, failureOf } from "@limbeck/capture/source/Forward"
import type * as Answer from "@limbeck/capture/tape/Answer"
import { isSuccess } from "@limbeck/capture/upstream/Upstream"
import * as Body from "@limbeck/core/bytes/Body"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import { invalid } from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Proxy } from "../proxy/Proxy.ts"
import * as BuiltinStudent from "../student/internal/BuiltinStudent.ts"
import * as DecisionStudent from "../student/internal/DecisionStudent.ts"
import type { StudentFailed } from "../student/internal/StudentResponse.ts"
import { Students } from "../student/Students.ts"

/** The upstream's response is no success, or its body is no JSON. */
class DecisionsRejected extends Schema.TaggedError<DecisionsRejected>()("DecisionsRejected", {
  message: Schema.String,
  status: Schema.Int,
  /** As the upstream wrote it; null for a body that is no JSON. */
  body: Schema.Json
}) {}

export type DecisionError = CallError | DecisionsRejected

export interface DecisionOptions {
  /** The source for a `model` without `svc:`, by name or id; by default the default source. */
  readonly source?: string | undefined
  readonly tags?: ReadonlyArray<string> | undefined
  readonly externalId?: string | undefined
}

export interface DecisionsAnswered {
  /** The id of the captured call. */
  readonly call: CallId
  readonly servedBy: ServedBy
  /** Who answered which questions, by their positions in the request; null for a call of a source. */
  readonly split: SplitRules.Split | null
  /** The body of the response, in the dialect of the request. */
  readonly response: Schema.Json
}

export class Decisions extends Context.Service<
  Decisions,
  {
    /** `body`: a request in either dialect. */
    readonly ask: (
      partition: Partition,
      body: Schema.JsonObject,
      options?: DecisionOptions
    ) => Effect.Effect<DecisionsAnswered, DecisionError>
    /** What a student of this process predicts for the questions. Captures nothing. */
    readonly predict: (
      partition: Partition,
      studentModel: string,
      request: DecisionRequest
    ) => Effect.Effect<DecisionStudent.StudentDecisions, StudentFailed>
  }
>()("@limbeck/serving/decide/Decisions") {}

/** Names what `source` names in options. */
const sourceField = "source"

const headers = { "content-type": "application/json", accept: "application/json", "accept-encoding": "identity" }

const encoder = new TextEncoder()

const parsed = (bytes: Uint8Array): Schema.Json | undefined => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

const rejected = (message: string, status: number, body: Schema.Json = null) =>
  new DecisionsRejected({ message, status, body })

const make = Effect.fnUntraced(function* (statusOf: (error: CallError) => number) {
  const proxy = yield* Proxy
  const students = yield* Students
  const decoder = yield* Decoder
  const digests = yield* Digest
  const ids = yield* Ids

  /** The whole body: a call is captured whole only if it is read to its end. */
  const readOf = Effect.fnUntraced(function* ({ body, by, headers, status }: Answer.Answer) {
    const tooLong = () => rejected(`The response is longer than ${CaptureLimits.answerBytesMax} bytes`, status)
    const bytes = yield* Bytes.whole(Body.toStream(body), CaptureLimits.answerBytesMax, tooLong).pipe(
      // A student's response is whole, so only a source's breaks off.
      Effect.catchTag("UpstreamFailure", (failure) => Effect.fail(failureOf(by.source!, failure)))
    )
    const { "content-encoding": coding = "identity" } = headers
    if (coding === "identity") return parsed(bytes)
    const unpacked = yield* Effect.option(decoder.unpackWhole(coding, bytes, CaptureLimits.answerBytesMax))
    return unpacked._tag === "None" ? undefined : parsed(unpacked.value)
  })

  const ask: Decisions["Service"]["ask"] = Effect.fn("Decisions.ask")(function* (partition, body, options = {}) {
    const dialect = DecisionRules.read(body)?.dialect
    if (dialect === undefined) return yield* invalid("questions", "Questions are a list or a map")
    const id = yield* ids.make("call")
    const endpoint = dialect === "openai" ? "decisions" : "systemone"
    const answer = yield* proxy.send(partition, {
      id,
      endpoint,
      target: `/${endpoint}`,
      method: "POST",
      headers,
      body: encoder.encode(JSON.stringify(body)),
      source: options.source ?? null,
      sourceHeader: sourceField,
      tags: options.tags ?? [],
      externalId: options.externalId ?? null,
      isRecorded: true,
      statusOf
    })
    const { by, status } = answer
    const response = yield* readOf(answer)
    if (!isSuccess(status)) return yield* rejected(`The upstream answered with the status ${status}`, status, response)
    if (response === undefined) return yield* rejected("The upstream's response is no JSON", status)
    return { call: id, servedBy: by.servedBy, split: by.split ?? null, response }
  }, Effect.scoped)

  const predict: Decisions["Service"]["predict"] = Effect.fn("Decisions.predict")(function* (
    partition,
    studentModel,
    request
  ) {
    const student = yield* BuiltinStudent.load(students, partition, studentModel)
    const identities = yield* Effect.provideService(QuestionRules.identifyAll(request.questions), Digest, digests)
    return yield* DecisionStudent.decide(student, request, identities)
  }, Effect.scoped)

  return Decisions.of({ ask, predict })
})

/** `statusOf`: the HTTP status that a captured failure shows. */
export const layerWith = (
  statusOf: (error: CallError) => number
): Layer.Layer<Decisions, never, Proxy | Students | Decoder | Digest | Ids> => Layer.effect(Decisions, make(statusOf))
