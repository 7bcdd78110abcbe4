/** Changes a member of a request, and leaves every other byte of it as it was. */
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import * as Turns from "@limbeck/core/turns/Turns"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])
const blank = new Set([0x20, 0x09, 0x0a, 0x0d])

/** From the first byte of a value to behind its last. */
interface Span {
  readonly from: number
  readonly to: number
}

/** Of a text, with its quotes. */
const textAt = (json: Uint8Array, from: number): Span => {
  let at = from + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return { from, to: at + 1 }
}

const decoder = new TextDecoder()

/** No name is longer with every character escaped. */
const isName = (json: Uint8Array, { from, to }: Span, name: string): boolean =>
  to - from <= '"'.length * 2 + name.length * "\\u006d".length &&
  JSON.parse(decoder.decode(json.subarray(from, to))) === name

const trimmed = (json: Uint8Array, { from, to }: Span): Span => {
  let [first, last] = [from, to]
  while (first < last && blank.has(json[first] ?? 0)) first++
  while (last > first && blank.has(json[last - 1] ?? 0)) last--
  return { from: first, to: last }
}

/** The values that the outermost object gives for `name`, which may stand there twice. */
function* valuesOf(json: Uint8Array, name: string): Turns.Steps<ReadonlyArray<Span>> {
  const values: Array<Span> = []
  let depth = 0
  let turnAt = 0
  /** Whether the next text of the outermost object is a name, and whether the last one was `name`. */
  let expectsName = true
  let isNamed = false
  let valueFrom = -1
  const end = (at: number) => {
    if (valueFrom >= 0) values.push(trimmed(json, { from: valueFrom, to: at }))
    valueFrom = -1
  }
  for (let at = 0; at < json.length; at++) {
    if (at - turnAt >= Turns.turnCost) {
      yield at - turnAt
      turnAt = at
    }
    const byte = json[at]!
    if (byte === quote) {
      const text = textAt(json, at)
      if (depth === 1 && expectsName) isNamed = isName(json, text, name)
      at = text.to - 1
    } else if (depth === 1 && byte === colon) {
      if (isNamed) valueFrom = at + 1
      expectsName = false
    } else if (depth === 1 && byte === comma) {
      end(at)
      expectsName = true
    } else if (opening.has(byte)) depth++
    else if (closing.has(byte)) {
      depth--
      if (depth === 0) end(at)
    }
  }
  return values
}

const encoder = new TextEncoder()

const replacedAt = (json: Uint8Array, spans: ReadonlyArray<Span>, value: Uint8Array): Uint8Array => {
  const parts: Array<Uint8Array> = []
  let at = 0
  for (const { from, to } of spans) {
    parts.push(json.subarray(at, from), value)
    at = to
  }
  parts.push(json.subarray(at))
  return joinPieces(parts)
}

/** `json`: an object in JSON that names its model with a text. */
export function* replaceModelSteps(json: Uint8Array, model: string): Turns.Steps<Uint8Array> {
  const texts = (yield* valuesOf(json, "model")).filter(({ from }) => json[from] === quote)
  return replacedAt(json, texts, encoder.encode(JSON.stringify(model)))
}

/** The request with only these questions. */
export function* replacingQuestions(json: Uint8Array, questions: Schema.Json): Turns.Steps<Uint8Array> {
  return replacedAt(json, yield* valuesOf(json, "questions"), encoder.encode(JSON.stringify(questions)))
}

/** As `replacing`, in turns. */
export const replaceModel = (json: Uint8Array, model: string): Effect.Effect<Uint8Array> =>
  Turns.run(replaceModelSteps(json, model))

export interface LogprobsRequest {
  readonly body: Uint8Array
  /** Whether the client itself asked for them. */
  readonly isClients: boolean
}

const yes = encoder.encode("true")
const logprobsMember = encoder.encode('"logprobs":true,')

/** `json`: an object in JSON that is not empty. The request with `logprobs: true`. */
export function* askingLogprobs(json: Uint8Array): Turns.Steps<LogprobsRequest> {
  const spans = yield* valuesOf(json, "logprobs")
  const last = spans.at(-1)
  if (last === undefined) {
    const first = json.findIndex((byte) => opening.has(byte)) + 1
    return { body: joinPieces([json.subarray(0, first), logprobsMember, json.subarray(first)]), isClients: false }
  }
  if (decoder.decode(json.subarray(last.from, last.to)) === "true") return { body: json, isClients: true }
  return { body: replacedAt(json, spans, yes), isClients: false }
}
