/**
 * Puts an answer that came as an event stream together into the one object that the same upstream answers without streaming
 * (docs/capture.md). It forgives what clients forgive: comments, lines that are no JSON, a `[DONE]` that never comes.
 */
import { isObject } from "@limbeck/core/json/Json"
import type * as Schema from "effect/Schema"
import type { CallEndpoint } from "../CapturedCall.ts"
import { AlikeChunks } from "../stream/internal/AlikeChunks.ts"
import * as ChatStream from "../stream/internal/ChatStream.ts"
import { type Fields, owned, plain } from "../stream/internal/Merging.ts"
import * as ResponsesStream from "../stream/internal/ResponsesStream.ts"
import * as ServerSentEvents from "../stream/internal/ServerSentEvents.ts"
import * as TextStream from "../stream/internal/TextStream.ts"

/** Goes up whenever the same stream would come out otherwise. */
export const assemblerVersion = 1

export interface Assembled {
  readonly completion: Readonly<Record<string, unknown>>
  /** Whether the upstream said within the stream that it failed. */
  readonly failed: boolean
}

type Value = Schema.JsonObject

const saysFailure = (error: unknown): boolean => isObject(error) || (typeof error === "string" && error !== "")

/** What a value says went wrong, in the shapes that there are: `{error}`, `{type: "error"}`, `{object: "error"}`. */
const errorIn = (name: string | null, value: Value): unknown => {
  if (saysFailure(value["error"])) return value["error"]
  const isError = name === "error" || value["type"] === "error" || value["object"] === "error"
  return isError ? value : undefined
}

interface StreamContent {
  readonly values: ReadonlyArray<Value>
  /** The first one; undefined where there was none. */
  readonly error: unknown
}

/** `joins`: whether chunks that are alike may come as one. */
const listen = (text: string, joins: boolean): StreamContent => {
  const values: Array<Value> = []
  const alike = new AlikeChunks()
  const events = new ServerSentEvents.Reader(text)
  let error: unknown
  for (let event = events.next(); event !== undefined; event = events.next()) {
    const only = joins && event.name === null && event.data.length === 1 ? event.data[0] : undefined
    alike.end()
    const found = ServerSentEvents.valuesOf(event).filter(isObject)
    if (event.name === "error" && found.length === 0) error ??= { message: event.data.join("\n") }
    for (const value of found) {
      const failure = errorIn(event.name, value)
      error ??= failure
      // An error may come within a chunk, or in place of one.
      if (failure === undefined || "choices" in value) values.push(value)
      if (failure === undefined && only !== undefined) alike.begin(only, value)
    }
    events.skipTo(alike.addAll(events.text, events.at))
  }
  return { values, error }
}

const streams: Partial<Record<CallEndpoint, (values: ReadonlyArray<Value>) => Fields | undefined>> = {
  "chat.completions": ChatStream.assemble,
  completions: TextStream.assemble,
  responses: ResponsesStream.assemble
}

const says = (completion: Fields, field: string, value: string): boolean => completion.get(field) === value

/** Null where nothing of the endpoint's can be told from it. */
export const assemble = (endpoint: CallEndpoint, text: string): Assembled | null => {
  const { error, values } = listen(text, endpoint === "chat.completions")
  const completion = streams[endpoint]?.(values)
  if (completion === undefined && error === undefined) return null
  const whole = completion ?? new Map<string, unknown>()
  if (error !== undefined) whole.set("error", owned(error))
  const failed = error !== undefined || (endpoint === "responses" && says(whole, "status", "failed"))
  // Made of a map from names to values.
  return { completion: plain(whole) as Value, failed }
}
