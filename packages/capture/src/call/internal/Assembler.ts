/**
 * Puts an answer that came as an event stream together into the one object that the same upstream answers without streaming
 * (docs/capture.md). It forgives what clients forgive: comments, lines that are no JSON, a `[DONE]` that never comes.
 */
import { isObject } from "@limbeck/core/json/Json"
import * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import type { CallEndpoint } from "../CapturedCall.ts"
import { AlikeChunks } from "../stream/internal/AlikeChunks.ts"
import * as ChatStream from "../stream/internal/ChatStream.ts"
import * as JsonSteps from "../stream/internal/JsonSteps.ts"
import { type Fields, owned } from "../stream/internal/Merging.ts"
import * as MessagesStream from "../stream/internal/MessagesStream.ts"
import * as ResponsesStream from "../stream/internal/ResponsesStream.ts"
import * as ServerSentEvents from "../stream/internal/ServerSentEvents.ts"
import * as TextStream from "../stream/internal/TextStream.ts"

/** Goes up whenever the same stream would come out otherwise. */
export const assemblerVersion = 1

export interface Assembled {
  readonly completion: Readonly<Record<string, unknown>>
  /** Whether the upstream said within the stream that it failed. */
  readonly failed: boolean
  /** Whether an event was left out because it is too large to be parsed. */
  readonly isPartial: boolean
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
  /** Whether a value was left out because it is too large to be parsed. */
  readonly isPartial: boolean
}

/** Characters that are read between two steps. */
const stepLength = Turns.turnCost / 4

/** `joins`: whether chunks that are alike may come as one. */
function* listen(text: string, joins: boolean): Turns.Steps<StreamContent> {
  const values: Array<Value> = []
  const alike = new AlikeChunks()
  const events = new ServerSentEvents.Reader(text)
  let error: unknown
  let isPartial = false
  let steppedAt = 0
  while (!events.isDone) {
    if (events.at - steppedAt >= stepLength) {
      yield events.at - steppedAt
      steppedAt = events.at
    }
    const event = events.next(steppedAt + stepLength)
    if (event === undefined) continue
    const only = joins && event.name === null && event.data.length === 1 ? event.data[0] : undefined
    alike.end()
    const read = ServerSentEvents.shortValueOf(event) ?? (yield* ServerSentEvents.valuesOf(event))
    const objects = read.values.filter(isObject)
    isPartial ||= read.isPartial
    if (event.name === "error" && objects.length === 0) error ??= { message: event.data.join("\n") }
    for (const value of objects) {
      const failure = errorIn(event.name, value)
      error ??= failure
      // An error may come within a chunk, or in place of one.
      if (failure === undefined || "choices" in value) values.push(value)
      if (failure === undefined && only !== undefined) alike.begin(only, value)
    }
    events.skipTo(alike.addAll(events.text, events.at, steppedAt + stepLength))
  }
  return { values, error, isPartial }
}

const streams: Partial<Record<CallEndpoint, (values: ReadonlyArray<Value>) => Turns.Steps<Fields | undefined>>> = {
  "chat.completions": ChatStream.assemble,
  completions: TextStream.assemble,
  responses: ResponsesStream.assemble,
  messages: MessagesStream.assemble
}

const says = (completion: Fields, field: string, value: string): boolean => completion.get(field) === value

/** Null where nothing of the endpoint's can be told from it. */
export function* steps(endpoint: CallEndpoint, text: string): Turns.Steps<Assembled | null> {
  const { error, isPartial, values } = yield* listen(text, endpoint === "chat.completions")
  const stream = streams[endpoint]
  const completion = stream === undefined ? undefined : yield* stream(values)
  if (completion === undefined && error === undefined) return null
  const whole = completion ?? new Map<string, unknown>()
  if (error !== undefined) whole.set("error", owned(error))
  const failed = error !== undefined || (endpoint === "responses" && says(whole, "status", "failed"))
  // Made of a map from names to values.
  return { completion: (yield* JsonSteps.plain(whole)) as Value, failed, isPartial }
}

/** As `steps`, without a pause: for a stream that is short. */
export const assemble = (endpoint: CallEndpoint, text: string): Assembled | null => Turns.atOnce(steps(endpoint, text))
