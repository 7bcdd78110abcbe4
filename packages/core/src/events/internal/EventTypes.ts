/** The event types that a host adds to ours: what their names may be (contract 8). Pure. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { EventType } from "../Event.ts"

/** A type that cannot be registered. The host's mistake: it ends the start. */
export class InvalidEventType extends Schema.TaggedError<InvalidEventType>()("InvalidEventType", {
  message: Schema.String,
  type: Schema.String
}) {}

/** Two or more words, so that every type has a prefix to subscribe to. */
const grammar = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/
const lengthMax = 128
/** Reserved first words of event types, also for future types. */
const ourWords: ReadonlyArray<string> = ["distill", "webhook", "webhook_endpoint"]

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== ""

const isStandardSchema = (value: object): boolean =>
  "~standard" in value &&
  typeof value["~standard"] === "object" &&
  value["~standard"] !== null &&
  "validate" in value["~standard"] &&
  typeof value["~standard"].validate === "function"

const refusalOf = ({ description, domain, example, schema, type }: EventType, ours: ReadonlyArray<string>) => {
  if (!grammar.test(type) || type.length > lengthMax) {
    return `is no name of an event type: two or more lower-case words with dots between, such as order.paid, in at most ${lengthMax} characters`
  }
  if (ours.includes(type) || ourWords.includes(type.split(".", 1)[0] ?? "")) return "is a name of ours"
  if (!isText(domain) || !isText(description)) return "needs a domain and a description"
  if (example !== undefined && typeof example !== "function") return "has an example that is no function"
  // Schemas of arktype are functions.
  const isSchema = schema === undefined || (Object(schema) === schema && isStandardSchema(schema))
  return isSchema ? undefined : "has a schema that does not speak Standard Schema v1 (no `~standard`)"
}

/** The whole catalog of `types` beside `ours`, or the first invalid type. */
export const join = (
  ours: ReadonlyArray<EventType>,
  types: ReadonlyArray<EventType>
): Result.Result<ReadonlyArray<EventType>, InvalidEventType> => {
  const names = ours.map(({ type }) => type)
  const seen = new Set<string>()
  for (const entry of types) {
    const type = String(entry.type)
    const refusal = refusalOf(entry, names) ?? (seen.has(type) ? "is registered twice" : undefined)
    if (refusal !== undefined) return Result.fail(new InvalidEventType({ message: `"${type}" ${refusal}`, type }))
    seen.add(type)
  }
  return Result.succeed([...ours, ...types])
}
