/** Assembles the chunks of a legacy completion. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import { chunkCost, type Fields, keep, merge, stepChunks } from "./Merging.ts"

/** What goes on from chunk to chunk; of the rest the last one counts. */
const joinedMembers = new Set(["text", "logprobs"])

const mergeChoice = (choices: Map<number, Fields>, part: Schema.JsonObject, place: number): void => {
  const at = typeof part["index"] === "number" ? part["index"] : place
  const choice: Fields =
    choices.get(at) ??
    new Map<string, unknown>([
      ["text", ""],
      ["index", at],
      ["finish_reason", null]
    ])
  choices.set(at, choice)
  for (const [name, value] of Object.entries(part)) {
    if (joinedMembers.has(name)) merge(choice, name, value)
    else keep(choice, name, value)
  }
}

/** Undefined without a chunk of a completion. */
export function* assemble(chunks: Iterable<Schema.JsonObject>): Turns.Steps<Fields | undefined> {
  const top: Fields = new Map()
  const choices = new Map<number, Fields>()
  let count = 0
  for (const chunk of chunks) {
    if (++count % stepChunks === 0) yield stepChunks * chunkCost
    for (const [name, value] of Object.entries(chunk)) {
      if (name !== "choices") keep(top, name, value)
      else if (Array.isArray(value)) {
        top.set(name, null)
        for (const [place, part] of value.entries()) if (isObject(part)) mergeChoice(choices, part, place)
      }
    }
  }
  if (!top.has("choices")) return undefined
  return top.set(
    "choices",
    [...choices].sort(([a], [b]) => a - b).map(([, choice]) => choice)
  )
}
