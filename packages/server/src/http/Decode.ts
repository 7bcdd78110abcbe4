/** From bytes and strings to values, strictly: the first thing wrong is named by its path (contract 1). */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"

/** Values that need no services to decode. */
export type Decodable<A> = Schema.Codec<A, unknown>

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** `recipe.stages[1].config.epochs` */
const pathText = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")

const keyOf = (segment: PropertyKey | { readonly key: PropertyKey }): PropertyKey =>
  typeof segment === "object" ? segment.key : segment

const toInvalid = (issue: SchemaIssue.Issue): InvalidInput => {
  const first = format(issue).issues[0]
  const path = (first?.path ?? []).map(keyOf)
  return invalid(path.length === 0 ? null : pathText(path), first?.message ?? "Invalid request")
}

/** Unknown members are refused: a misspelt field must never be ignored. */
export const strict = <A>(schema: Decodable<A>): ((input: unknown) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })
  return (input) => Effect.fromResult(Result.mapError(decode(input), (error) => toInvalid(error.issue)))
}

/** Unknown members are ignored, as in queries (contract 14.2). */
export const lenient = <A>(schema: Decodable<A>): ((input: unknown) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (input) => Effect.fromResult(Result.mapError(decode(input), (error) => toInvalid(error.issue)))
}

const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** A JSON object from a body; an empty body is `{}`. */
export const jsonObject = (bytes: Uint8Array): Effect.Effect<Schema.JsonObject, InvalidInput> =>
  Effect.suspend(() => {
    if (bytes.length === 0) return Effect.succeed({})
    let value: unknown
    try {
      value = JSON.parse(utf8.decode(bytes))
    } catch {
      return invalid(null, "The body is not valid JSON")
    }
    return isObject(value) ? Effect.succeed(value) : invalid(null, "The body must be a JSON object")
  })

/** Whether a `Content-Type` says JSON; parameters such as a charset are fine. */
export const isJsonType = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType)

/** The query as a record; a repeated parameter is refused. */
export const query = (url: string): Effect.Effect<Readonly<Record<string, string>>, InvalidInput> => {
  const at = url.indexOf("?")
  if (at < 0) return Effect.succeed({})
  const entries = [...new URLSearchParams(url.slice(at + 1))]
  const names = entries.map(([name]) => name)
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  return repeated === undefined
    ? Effect.succeed(Object.fromEntries(entries))
    : Effect.fail(invalid(repeated, "This parameter is given more than once"))
}
