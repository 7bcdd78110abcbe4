/** Turns a call record into a captured call. Never fails: unreadable content is kept as text. */

import { joinPieces } from "@limbeck/core/bytes/Bytes"
import * as Utf8 from "@limbeck/core/bytes/Utf8"
import { isObject } from "@limbeck/core/json/Json"
import * as JsonMembers from "@limbeck/core/json/JsonMembers"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Turns from "@limbeck/core/turns/Turns"
import type { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as DialectRules from "../dialect/DialectRules.ts"
import { CaptureLimits } from "../Limits.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { CallId, CapturedCall } from "./CapturedCall.ts"
import { codingsOf } from "./ContentCodings.ts"
import * as CostRules from "./CostRules.ts"
import { Decoder } from "./Decoder.ts"
import * as Assembler from "./internal/Assembler.ts"
import * as CallDecisions from "./internal/CallDecisions.ts"
import * as StoredText from "./StoredText.ts"
import * as JsonSteps from "./stream/internal/JsonSteps.ts"
import * as UsageRules from "./UsageRules.ts"

const strict = new TextDecoder("utf-8", { fatal: true })
const lossy = new TextDecoder()

function* decoding(bytes: Uint8Array): Turns.Steps<string> {
  return isLong(bytes) ? yield* Utf8.decoding(bytes) : textOf(bytes)
}

const textOf = (bytes: Uint8Array): string => {
  try {
    return strict.decode(bytes)
  } catch {
    return lossy.decode(bytes)
  }
}

interface BodyText {
  /** As it is stored. */
  readonly text: string
  /** Whether the text is JSON. */
  readonly isJson: boolean
  /** Whether the body was longer than its stored part. */
  readonly isCut: boolean
}

interface ReadBody extends BodyText {
  /** The parsed text, or for a long text only the members in `factsIn`; undefined for text other than JSON. */
  readonly value: unknown
}

interface Request extends BodyText {
  readonly asksStream: boolean
}

const valueOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function* readWhole(whole: string): Turns.Steps<ReadBody> {
  const { isCut, text } = yield* StoredText.steps(whole)
  const value = isCut ? undefined : valueOf(text)
  return { text, isJson: value !== undefined, value, isCut }
}

const isLongText = ({ length }: string): boolean => length > CaptureLimits.parsedBytesMax

/** Of a long text only what can be parsed in some milliseconds. */
function* readBounded(whole: string): Turns.Steps<ReadBody> {
  const excess = isLongText(whole)
    ? yield* JsonShape.excessSteps(whole, { members: CaptureLimits.learntMembersMax })
    : undefined
  return excess === undefined ? yield* readWhole(whole) : { text: whole, isJson: false, value: undefined, isCut: false }
}

/** Of a request and of an answer, what is made into facts of the call. */
const factsIn = new Set(["stream", "usage", "service_tier"])

/** A long text is not parsed, which would hold up everybody. */
function* readLong(whole: string): Turns.Steps<ReadBody> {
  const { isCut, text } = yield* StoredText.steps(whole)
  if (isCut) return { text, isJson: false, value: undefined, isCut }
  const value = yield* JsonMembers.scanMembers(text, factsIn)
  return { text, isJson: value !== undefined, value, isCut }
}

const isLong = ({ length }: Uint8Array): boolean => length > CaptureLimits.parsedBytesMax

/** Undone last to first, each up to one byte more than is kept; null where one cannot be. */
const unpack = Effect.fnUntraced(function* (contentEncoding: string, packed: Uint8Array) {
  const decoder = yield* Decoder
  const codings = codingsOf(contentEncoding)
  let bytes: Uint8Array | null = codings === null ? null : packed
  for (const coding of codings ?? []) {
    if (bytes === null) break
    bytes = yield* decoder.unpack(coding, bytes, CaptureLimits.unpackedBytesMax + 1)
  }
  return bytes
})

/** Some servers stream without saying so. */
const eventStream = /^(?:\ufeff|\s)*(?:data|event|id|retry|error)?:/

/** What an answer is read by. */
type AnswerRecord = Pick<CallRecord, "isCut" | "contentEncoding" | "contentType" | "endpoint" | "response">

const isStream = ({ contentType }: AnswerRecord, asked: boolean, text: string): boolean =>
  /^text\/event-stream\b/i.test(contentType ?? "") || (asked && eventStream.test(text.slice(0, 64)))

interface Answer extends ReadBody {
  readonly streamed: boolean
  readonly assembled: boolean
  readonly failed: boolean
}

/** A stream with an event too large to parse is kept as text, beside the facts of its other events. */
function* assembleSteps({ endpoint }: AnswerRecord, stream: string): Turns.Steps<Answer | undefined> {
  try {
    const whole = yield* Assembler.steps(endpoint, stream)
    if (whole === null) return undefined
    const { completion: value, failed, isPartial } = whole
    if (isPartial) {
      return { ...(yield* StoredText.steps(stream)), isJson: false, value, streamed: true, assembled: false, failed }
    }
    const json = isLongText(stream) ? yield* JsonSteps.text(value) : JSON.stringify(value)
    const { isCut, text } = yield* StoredText.steps(json)
    return { text, isJson: !isCut, value, isCut, streamed: true, assembled: true, failed }
  } catch {
    // A stream whose JSON is nested deeper than the stack.
    return undefined
  }
}

/**
 * Whether the answer was longer than its captured part. A record without this field counts as cut when it fills the bound.
 */
const isCutOf = ({ isCut, response }: AnswerRecord): boolean =>
  isCut ?? response.reduce((sum, { length }) => sum + length, 0) >= CaptureLimits.capturedBytesMax

/**
 * The kept bytes of a body. Content with a NUL is no JSON and hardly text: a long one is reduced to its beginning, since
 * storage would rewrite it several times.
 */
const keptOf = (bytes: Uint8Array): Uint8Array =>
  isLong(bytes) && bytes.includes(0)
    ? bytes.subarray(0, CaptureLimits.parsedBytesMax)
    : bytes.subarray(0, CaptureLimits.unpackedBytesMax)

/** The storable part of an answer. `bytes`: the whole, or more than will be kept. `read`: parses a text that is no stream. */
function* readSteps(
  record: AnswerRecord,
  asked: boolean,
  bytes: Uint8Array,
  read: (text: string) => Turns.Steps<ReadBody>
): Turns.Steps<Answer> {
  const kept = keptOf(bytes)
  const text = yield* decoding(kept)
  const streamed = isStream(record, asked, text)
  const assembled = streamed ? yield* assembleSteps(record, text) : undefined
  const answer = assembled ?? { ...(yield* read(text)), streamed, assembled: false, failed: false }
  return { ...answer, isCut: answer.isCut || kept.length < bytes.length || isCutOf(record) }
}

const isBilled = (record: CallRecord): boolean =>
  record.managed && CostRules.isUsed(record) && Partition.fromKey(record.partition).livemode

interface ReadAnswer {
  readonly answer: Answer
  readonly isPacked: boolean
}

/** Storage looks calls up by short keys only. */
const modelOf = ({ model }: CallRecord): string | null => model?.slice(0, CaptureLimits.modelIdMax) ?? null

/** Of what a request says. */
export const wantsStream = (request: unknown): boolean => isObject(request) && request["stream"] === true

const millisOf = (millis: number): number => Math.max(0, Math.round(millis))

const made = (record: CallRecord, request: Request, read: ReadAnswer | null): CapturedCall => {
  const answer = read?.answer ?? null
  const outcome = record.outcome === "succeeded" && answer?.failed ? "failed" : record.outcome
  /** A stream that holds an error is not charged, even if its client left. */
  const charged = { ...record, outcome: answer?.failed ? "failed" : outcome } satisfies CallRecord
  const usage = UsageRules.usageOf(answer?.value)
  return {
    // Made by ourselves when the call came.
    id: record.id as CallId,
    endpoint: record.endpoint,
    source: record.source,
    sourceName: record.sourceName,
    model: modelOf(record),
    servedBy: record.servedBy,
    deployment: record.deployment,
    fallbackReason: record.fallbackReason,
    confidence: record.confidence,
    tags: record.tags,
    externalId: record.externalId,
    ...(record.verifies === undefined ? {} : { verifies: record.verifies }),
    outcome,
    statusCode: record.statusCode,
    streamed: answer?.streamed ?? request.asksStream,
    request: request.text,
    requestIsJson: request.isJson,
    response: answer?.text ?? null,
    responseIsJson: answer?.isJson ?? false,
    truncated: request.isCut || (answer?.isCut ?? false),
    assemblerVersion: answer?.assembled ? Assembler.assemblerVersion : null,
    usage,
    costMicros: CostRules.costOf(charged, usage, answer && { ...answer, isPacked: read?.isPacked ?? false }),
    ...(record.studentMicros === undefined ? {} : { studentMicros: record.studentMicros }),
    billed: isBilled(charged),
    latencyMillis: millisOf(record.latencyMillis),
    firstTokenMillis: record.firstTokenMillis === null ? null : millisOf(record.firstTokenMillis),
    ...(record.attempts === undefined ? {} : { attempts: record.attempts }),
    createdAt: record.createdAt
  }
}

interface AnswerBytes {
  readonly bytes: Uint8Array
  /** Whether the bytes are still packed, because no decoder knows the coding. */
  readonly isPacked: boolean
}

/** Content that cannot be unpacked is kept packed. */
const bytesOf = ({ contentEncoding, response }: AnswerRecord): Effect.Effect<AnswerBytes, never, Decoder> => {
  const bytes = joinPieces(response)
  if (contentEncoding === null || contentEncoding === "" || bytes.length === 0) {
    return Effect.succeed({ bytes, isPacked: false })
  }
  return Effect.map(unpack(contentEncoding, bytes), (whole) => ({ bytes: whole ?? bytes, isPacked: whole === null }))
}

/** Adds the answers to the call's questions. Responses with decisions are short and never streamed. */
const readDecisions = (record: CallRecord, call: CapturedCall): Effect.Effect<CapturedCall, never, Digest> => {
  const isReadable = call.outcome === "succeeded" && call.requestIsJson && call.responseIsJson && !call.truncated
  if (!isReadable || call.response === null) return Effect.succeed(call)
  const decisions = CallDecisions.of(record, valueOf(call.request), valueOf(call.response))
  return Effect.map(decisions, (decisions) => ({ ...call, decisions }))
}

const requestOf = (read: ReadBody): Request => ({ ...read, asksStream: wantsStream(read.value) })

/** Skips parsing if the request was parsed on arrival: parsing a body takes as long as the rest of this work. */
const shortRequestOf = ({ asksStream, request }: CallRecord): Request => {
  const text = textOf(request)
  return asksStream === undefined
    ? requestOf(Turns.atOnce(readWhole(text)))
    : { text, isJson: true, isCut: false, asksStream }
}

/** Of bodies that are short, at once: calls come by the hundred. */
const shortCallOf = (record: CallRecord, { bytes, isPacked }: AnswerBytes): CapturedCall => {
  const request = shortRequestOf(record)
  if (bytes.length === 0) return made(record, request, null)
  const answer = Turns.atOnce(readSteps(record, request.asksStream, bytes, readWhole))
  return made(record, request, { answer, isPacked })
}

const longCallOf = Effect.fnUntraced(function* (record: CallRecord, { bytes, isPacked }: AnswerBytes) {
  const asked = keptOf(record.request)
  const { run } = yield* Turns.make
  const read = yield* run(readLong(yield* run(decoding(asked))))
  const request = requestOf({ ...read, isCut: read.isCut || asked.length < record.request.length })
  if (bytes.length === 0) return made(record, request, null)
  const answer = yield* run(readSteps(record, request.asksStream, bytes, readLong))
  return made(record, request, { answer, isPacked })
})

export const callOf = (record: CallRecord): Effect.Effect<CapturedCall, never, Decoder | Digest> =>
  Effect.flatMap(bytesOf(record), (answer): Effect.Effect<CapturedCall, never, Digest> => {
    if (isLong(record.request) || isLong(answer.bytes)) return longCallOf(record, answer)
    const call = shortCallOf(record, answer)
    return DialectRules.isDecision(record.endpoint) ? readDecisions(record, call) : Effect.succeed(call)
  })

/**
 * The value of an answer, with a stream assembled; undefined for text other than JSON, or with more members than a row
 * allows.
 */
export const completionOf = (came: AnswerRecord): Effect.Effect<unknown, never, Decoder> =>
  Effect.flatMap(bytesOf(came), ({ bytes }) =>
    Effect.map(Turns.run(readSteps(came, true, bytes, readBounded)), ({ value }) => value)
  )
