/** Encodes a record as bytes and decodes it: facts as JSON, then the raw bodies. The first byte is the version. */
import * as Option from "effect/Option"
import type { CallRecord, CaptureRecord, ShadowRecord } from "./CallRecord.ts"

const version = 1
const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Version, length of the facts, length of the request. */
const headBytes = 1 + 4 + 4
/** Approximate memory of a call's facts. */
const factsBytes = 512

const lengthOf = (chunks: ReadonlyArray<Uint8Array>): number => chunks.reduce((sum, { length }) => sum + length, 0)

/** About how many bytes it takes, in memory or encoded. */
export const sizeOf = (record: CaptureRecord): number =>
  record.kind === "shadow"
    ? factsBytes + (record.message?.length ?? 0)
    : factsBytes + record.request.length + lengthOf(record.response)

/** The most bytes that one UTF-16 unit takes in UTF-8. */
const bytesPerUnitMax = 3

const headOf = (facts: string, requestLength: number): Uint8Array => {
  const head = new Uint8Array(headBytes + facts.length * bytesPerUnitMax)
  const { written } = encoder.encodeInto(facts, head.subarray(headBytes))
  const view = new DataView(head.buffer)
  head[0] = version
  view.setUint32(1, written)
  view.setUint32(5, requestLength)
  return head.subarray(0, headBytes + written)
}

/** Parts that follow each other; bodies are not copied. */
export const encode = (record: CaptureRecord): ReadonlyArray<Uint8Array> => {
  if (record.kind === "shadow") return [headOf(JSON.stringify(record), 0)]
  const { request, response } = record
  // JSON leaves out what is undefined. The rest of a destructuring would take longer than all else here.
  const facts = { ...record, request: undefined, response: undefined }
  return [headOf(JSON.stringify(facts), request.length), request, ...response]
}

type Facts = Omit<CallRecord, "request" | "response"> | ShadowRecord

const isFacts = (value: unknown): value is Facts =>
  typeof value === "object" && value !== null && "kind" in value && (value.kind === "call" || value.kind === "shadow")

/** None for bytes of a newer version or another origin. Bodies are views into `bytes`. */
export const decode = (bytes: Uint8Array): Option.Option<CaptureRecord> => {
  if (bytes.length < headBytes || bytes[0] !== version) return Option.none()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const requestAt = headBytes + view.getUint32(1)
  const responseAt = requestAt + view.getUint32(5)
  if (responseAt > bytes.length) return Option.none()
  try {
    const facts: unknown = JSON.parse(decoder.decode(bytes.subarray(headBytes, requestAt)))
    if (!isFacts(facts)) return Option.none()
    if (facts.kind === "shadow") return Option.some(facts)
    const response = responseAt === bytes.length ? [] : [bytes.subarray(responseAt)]
    return Option.some({ ...facts, request: bytes.subarray(requestAt, responseAt), response })
  } catch {
    return Option.none()
  }
}
