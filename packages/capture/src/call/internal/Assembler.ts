/**
 * Assembles an answer from an event stream into the object that the same upstream returns without streaming
 * (docs/capture.md). Tolerates what clients tolerate: comments, lines other than JSON, a missing `[DONE]`.
 */
import { isObject } from "@limbeck/core/json/Json"
import * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import type { CallEndpoint } from "../CapturedCall.ts"
import { AlikeChunks } from "../stream/internal/AlikeChunks.ts"
import * as ChatStream from "../stream/internal/ChatStream.ts"
import * as JsonSteps from "../stream/internal/JsonSteps.ts"
import { copyValue, type Fields } from "../stream/internal/Merging.ts"
import * as MessagesStream from "../stream/internal/MessagesStream.ts"
import * as ResponsesStream from "../stream/internal/ResponsesStream.ts"
import * as ServerSentEvents from "../stream/internal/ServerSentEvents.ts"
import * as TextStream from "../stream/internal/TextStream.ts"

/** Goes up whenever the same stream would come out otherwise. */
export const assemblerVersion = 1

export interface AssembledAnswer {
  readonly completion: Readonly<Record<string, unknown>>
  /** Whether the upstream reported a failure within the stream. */
  readonly failed: boolean
  /** Whether an event too large to parse was left out. */
  readonly isPartial: boolean
}

type Value = Schema.JsonObject

const saysFailure = (error: unknown): boolean => isObject(error) || (typeof error === "string" && error !== "")

/** The error in a value, in any known shape: `{error}`, `{type: "error"}`, `{object: "error"}`. */
const errorIn = (name: string | null, value: Value): unknown => {
  if (saysFailure(value["error"])) return value["error"]
  const isError = name === "error" || value["type"] === "error" || value["object"] === "error"
  return isError ? value : undefined
}

interface StreamContent {
  readonly values: ReadonlyArray<Value>
  /** The first one; undefined where there was none. */
  readonly error: unknown
  /** Whether a value too large to parse was left out. */
  readonly isPartial: boolean
}

/** Characters that are read between two steps. */
const stepLength = Turns.turnCost / 4

/** `joins`: whether alike chunks may be merged. */
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
      // An error may arrive inside a chunk, or instead of one.
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

/** Null if the text contains no event of the endpoint. */
export function* steps(endpoint: CallEndpoint, text: string): Turns.Steps<AssembledAnswer | null> {
  const { error, isPartial, values } = yield* listen(text, endpoint === "chat.completions")
  const stream = streams[endpoint]
  const completion = stream === undefined ? undefined : yield* stream(values)
  if (completion === undefined && error === undefined) return null
  const whole = completion ?? new Map<string, unknown>()
  if (error !== undefined) whole.set("error", copyValue(error))
  const failed = error !== undefined || (endpoint === "responses" && says(whole, "status", "failed"))
  // Made of a map from names to values.
  return { completion: (yield* JsonSteps.plain(whole)) as Value, failed, isPartial }
}

/** As `steps`, without a pause: for a stream that is short. */
export const assemble = (endpoint: CallEndpoint, text: string): AssembledAnswer | null =>
  Turns.atOnce(steps(endpoint, text))
