/** A call as it was written down, made into the one that is stored. It never fails: what cannot be read is kept as text. */

import { joined } from "@limbeck/core/bytes/Bytes"
import { isObject } from "@limbeck/core/json/Json"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"
import * as Assembler from "./Assembler.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { CallId, CapturedCall, Outcome, Usage } from "./CapturedCall.ts"
import { Decoder } from "./Decoder.ts"

const strict = new TextDecoder("utf-8", { fatal: true })
const lossy = new TextDecoder()

const textOf = (bytes: Uint8Array): string => {
  try {
    return strict.decode(bytes)
  } catch {
    return lossy.decode(bytes)
  }
}

interface Read {
  readonly text: string
  /** Undefined where it is no JSON. */
  readonly value: unknown
}

const read = (text: string): Read => {
  try {
    return { text, value: JSON.parse(text) }
  } catch {
    return { text, value: undefined }
  }
}

/** Undone last to first; null where one cannot be. */
const unpacked = Effect.fnUntraced(function* (contentEncoding: string, packed: Uint8Array) {
  const decoder = yield* Decoder
  const codings = contentEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
  let bytes: Uint8Array | null = packed
  for (const coding of codings.reverse()) {
    if (coding === "" || coding === "identity" || bytes === null) continue
    bytes = yield* decoder.unpack(coding, bytes, Limits.unpackedBytesMax)
  }
  return bytes
})

/** Some servers stream without saying so. */
const eventStream = /^(?:\ufeff|\s)*(?:data|event|id|retry|error)?:/

/** What an answer is read by. */
type Came = Pick<CallRecord, "contentEncoding" | "contentType" | "endpoint" | "response">

const isStream = ({ contentType }: Came, asked: boolean, text: string): boolean =>
  /^text\/event-stream\b/i.test(contentType ?? "") || (asked && eventStream.test(text.slice(0, 64)))

interface Answer extends Read {
  readonly streamed: boolean
  readonly assembled: boolean
  readonly failed: boolean
}

const assemble = ({ endpoint }: Came, text: string): Answer | undefined => {
  try {
    const whole = Assembler.assemble(endpoint, text)
    if (whole === null) return undefined
    const { completion: value, failed } = whole
    return { text: JSON.stringify(value), value, streamed: true, assembled: true, failed }
  } catch {
    // A stream whose JSON is nested deeper than the stack.
    return undefined
  }
}

const answerOf = (record: Came, asked: boolean, bytes: Uint8Array): Answer => {
  const text = textOf(bytes)
  const streamed = isStream(record, asked, text)
  const assembled = streamed ? assemble(record, text) : undefined
  return assembled ?? { ...read(text), streamed, assembled: false, failed: false }
}

const countMax = 2 ** 31 - 1

const countOf = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 && value <= countMax ? Math.round(value) : undefined

/** Chat completions and embeddings say `prompt_tokens`, responses `input_tokens`; embeddings have no output. */
const usageOf = (answer: unknown): Usage | null => {
  const usage = isObject(answer) ? answer["usage"] : undefined
  if (!isObject(usage)) return null
  const inputTokens = countOf(usage["prompt_tokens"] ?? usage["input_tokens"])
  const outputTokens = countOf(usage["completion_tokens"] ?? usage["output_tokens"] ?? 0)
  return inputTokens === undefined || outputTokens === undefined ? null : { inputTokens, outputTokens }
}

/** Dollars for a million tokens are micro-dollars for one. */
const costOf = ({ inputPerMillion, outputPerMillion }: CallRecord, usage: Usage | null): number | null => {
  if (usage === null || (inputPerMillion === null && outputPerMillion === null)) return null
  const micros = usage.inputTokens * (inputPerMillion ?? 0) + usage.outputTokens * (outputPerMillion ?? 0)
  return Math.min(Math.round(micros), Number.MAX_SAFE_INTEGER)
}

const isBilled = ({ managed, partition }: CallRecord, outcome: Outcome): boolean =>
  managed && outcome === "succeeded" && Partition.fromKey(partition).livemode

/** What storage looks calls up by is short. */
const modelOf = ({ model }: CallRecord): string | null => model?.slice(0, Limits.modelIdMax) ?? null

const wantsStream = (request: unknown): boolean => isObject(request) && request["stream"] === true

const millisOf = (millis: number): number => Math.max(0, Math.round(millis))

const made = (record: CallRecord, request: Read, answer: Answer | null): CapturedCall => {
  const outcome = record.outcome === "succeeded" && answer?.failed ? "failed" : record.outcome
  const usage = usageOf(answer?.value)
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
    outcome,
    statusCode: record.statusCode,
    streamed: answer?.streamed ?? wantsStream(request.value),
    request: request.text,
    requestIsJson: request.value !== undefined,
    response: answer?.text ?? null,
    responseIsJson: answer?.value !== undefined,
    assemblerVersion: answer?.assembled ? Assembler.assemblerVersion : null,
    usage,
    costMicros: costOf(record, usage),
    billed: isBilled(record, outcome),
    latencyMillis: millisOf(record.latencyMillis),
    firstTokenMillis: record.firstTokenMillis === null ? null : millisOf(record.firstTokenMillis),
    createdAt: record.createdAt
  }
}

/** What cannot be unpacked is kept as it came. */
const bytesOf = ({ contentEncoding, response }: Came): Effect.Effect<Uint8Array, never, Decoder> => {
  const bytes = joined(response)
  if (contentEncoding === null || contentEncoding === "" || bytes.length === 0) return Effect.succeed(bytes)
  return Effect.map(unpacked(contentEncoding, bytes), (whole) => whole ?? bytes)
}

export const callOf = (record: CallRecord): Effect.Effect<CapturedCall, never, Decoder> => {
  const request = read(textOf(record.request))
  return Effect.map(bytesOf(record), (bytes) =>
    made(record, request, bytes.length === 0 ? null : answerOf(record, wantsStream(request.value), bytes))
  )
}

/** The JSON of an answer, a stream put together; undefined where it is none. */
export const completionOf = (came: Came): Effect.Effect<unknown, never, Decoder> =>
  Effect.map(bytesOf(came), (bytes) => answerOf(came, true, bytes).value)
