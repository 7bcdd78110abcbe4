/** Assembles the chunks of a chat completion. */
import { isObject } from "@limbeck/core/json/Json"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import { appendAll, chunkCost, type Fields, keep, merge, stepChunks } from "./Merging.ts"
import { ToolCalls } from "./ToolCalls.ts"

interface Choice {
  readonly fields: Fields
  readonly message: Fields
  readonly calls: ToolCalls
}

const textPart = (text: unknown) => ({ type: "text", text })

/** A text, or a list of parts; where a server sends both, parts. */
const mergeContent = (message: Fields, next: unknown): void => {
  const current = message.get("content")
  if (Array.isArray(current) && typeof next === "string") appendAll(current, next === "" ? [] : [textPart(next)])
  else if (typeof current === "string" && Array.isArray(next)) {
    message.set("content", appendAll([], [...(current === "" ? [] : [textPart(current)]), ...next]))
  } else merge(message, "content", next)
}

const mergeDelta = ({ calls, message }: Choice, delta: Schema.JsonObject): void => {
  for (const [name, value] of Object.entries(delta)) {
    if (name === "content") mergeContent(message, value)
    else if (name === "tool_calls" && Array.isArray(value)) calls.add(value)
    else merge(message, name, value)
  }
}

const mergeChoice = (choices: Map<number, Choice>, part: Schema.JsonObject, place: number): void => {
  const { delta, index, message, ...rest } = part
  const at = typeof index === "number" ? index : place
  const choice = choices.get(at) ?? { fields: new Map(), message: new Map(), calls: new ToolCalls() }
  choices.set(at, choice)
  // A server that sends both puts the text so far into the message.
  const said = isObject(delta) ? delta : message
  if (isObject(said)) mergeDelta(choice, said)
  for (const [name, value] of Object.entries(rest)) {
    if (name === "logprobs") merge(choice.fields, name, value)
    else keep(choice.fields, name, value)
  }
}

const finishedChoice = ([index, { calls, fields, message }]: readonly [number, Choice]): Fields => {
  const { role = "assistant", content = null, ...rest } = Object.fromEntries(message)
  const { finished } = calls
  const toolCalls = finished.length === 0 ? {} : { tool_calls: finished }
  const whole = new Map<string, unknown>([
    ["role", role],
    ["content", content],
    ...Object.entries({ ...rest, ...toolCalls })
  ])
  return new Map<string, unknown>([["index", index], ["message", whole], ["finish_reason", null], ...fields])
}

/** Some servers report usage elsewhere. */
const usageOf = (top: Fields, choices: Iterable<Choice>): unknown => {
  const groq = top.get("x_groq")
  const elsewhere = [groq, ...[...choices].map(({ fields }) => fields)].map((place) =>
    place instanceof Map ? place.get("usage") : undefined
  )
  return elsewhere.find((usage) => usage instanceof Map)
}

/** Random letters that hide the length of a piece. */
const padding = "obfuscation"

/** Undefined without a chunk of a completion. */
export function* assemble(chunks: Iterable<Schema.JsonObject>): Turns.Steps<Fields | undefined> {
  const top: Fields = new Map()
  const choices = new Map<number, Choice>()
  let count = 0
  for (const chunk of chunks) {
    if (++count % stepChunks === 0) yield stepChunks * chunkCost
    for (const [name, value] of Object.entries(chunk)) {
      if (name !== "choices") {
        if (name !== padding) keep(top, name, value)
      } else if (Array.isArray(value)) {
        top.set(name, null)
        for (const [place, part] of value.entries()) if (isObject(part)) mergeChoice(choices, part, place)
      }
    }
  }
  if (!top.has("choices")) return undefined
  const usage = top.get("usage") ?? usageOf(top, choices.values())
  if (usage !== undefined) top.set("usage", usage)
  top.set("object", "chat.completion")
  const finished: Array<Fields> = []
  for (const choice of [...choices].sort(([a], [b]) => a - b)) {
    finished.push(finishedChoice(choice))
    yield chunkCost
  }
  return top.set("choices", finished)
}
