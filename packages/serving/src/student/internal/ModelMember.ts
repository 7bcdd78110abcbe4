/** Names another model in a request, and leaves every other byte of it as it was. */
import { joined } from "@limbeck/core/bytes/Bytes"
import * as Turns from "@limbeck/core/turns/Turns"
import type * as Effect from "effect/Effect"

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const opening = new Set([0x7b, 0x5b])
const closing = new Set([0x7d, 0x5d])

/** From its first quote to behind its last. */
interface Text {
  readonly from: number
  readonly to: number
}

const textAt = (json: Uint8Array, from: number): Text => {
  let at = from + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return { from, to: at + 1 }
}

/** Longer than the name can be written, with every character escaped. */
const nameMax = '"'.length * 2 + "model".length * "\\u006d".length

const decoder = new TextDecoder()

const isModel = (json: Uint8Array, { from, to }: Text): boolean =>
  to - from <= nameMax && JSON.parse(decoder.decode(json.subarray(from, to))) === "model"

/** The values that the outermost object gives for `model`, where they are texts; a name may stand there twice. */
function* modelsIn(json: Uint8Array): Turns.Steps<ReadonlyArray<Text>> {
  const found: Array<Text> = []
  let depth = 0
  /** What the next text of the outermost object is. */
  let next: "name" | "model" | "other" = "name"
  let turnAt = 0
  for (let at = 0; at < json.length; at++) {
    if (at - turnAt >= Turns.turnCost) {
      yield at - turnAt
      turnAt = at
    }
    const byte = json[at]!
    if (byte === quote) {
      const text = textAt(json, at)
      if (next === "name") next = isModel(json, text) ? "model" : "other"
      else if (depth === 1 && next === "model") found.push(text)
      at = text.to - 1
    } else if (opening.has(byte)) depth++
    else if (closing.has(byte)) depth--
    else if (byte === comma && depth === 1) next = "name"
  }
  return found
}

const encoder = new TextEncoder()

/** `json`: an object in JSON that names its model with a text. */
export function* replacing(json: Uint8Array, model: string): Turns.Steps<Uint8Array> {
  const name = encoder.encode(JSON.stringify(model))
  const parts: Array<Uint8Array> = []
  let at = 0
  for (const { from, to } of yield* modelsIn(json)) {
    parts.push(json.subarray(at, from), name)
    at = to
  }
  parts.push(json.subarray(at))
  return joined(parts)
}

/** As `replacing`, in turns. */
export const replaced = (json: Uint8Array, model: string): Effect.Effect<Uint8Array> =>
  Turns.run(replacing(json, model))
