/** From bytes and strings to values, strictly: the first thing wrong is named by its path (contract 1). */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as FieldPath from "@limbeck/core/errors/FieldPath"
import { leafText } from "@limbeck/core/errors/LeafText"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import { isObject } from "@limbeck/core/json/Json"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import { unlistedKey } from "@limbeck/core/json/Unlisted"
import { Limits } from "@limbeck/core/Limits"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaIssue from "effect/SchemaIssue"
import * as AbsentNulls from "./AbsentNulls.ts"

/** Values that need no services to decode. */
export type Decodable<A> = Schema.Codec<A, unknown>

const format = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: leafText })

/** The union at the end of the issue, for an input that matched none of its kinds. */
const findUnmatched = (issue: SchemaIssue.Issue | undefined): SchemaAST.Union | undefined => {
  switch (issue?._tag) {
    case "Filter":
    case "Encoding":
    case "Pointer":
      return findUnmatched(issue.issue)
    case "Composite":
      return findUnmatched(issue.issues[0])
    case "AnyOf":
      return issue.issues.length === 0 ? issue.ast : findUnmatched(issue.issues[0])
    default:
      return undefined
  }
}

/** The member that distinguishes the kinds of a union of objects: `kind` of a stage. */
const kindOf = (union: SchemaAST.Union): PropertyKey | undefined => {
  const [first] = union.types
  return first?._tag === "Objects"
    ? first.propertySignatures.find(({ type }) => type._tag === "Literal")?.name
    : undefined
}

/** The values of that member, without kinds that exist only to be refused. */
const valuesOf = (union: SchemaAST.Union, name: PropertyKey): ReadonlyArray<string> =>
  union.types.flatMap((type) => {
    if (type._tag !== "Objects" || type.annotations?.[unlistedKey] === true) return []
    const member = type.propertySignatures.find((property) => property.name === name)?.type
    return member?._tag === "Literal" ? [JSON.stringify(member.literal)] : []
  })

const at = (input: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((value, key) => Object(value)[key], input)

const toInvalid = (issue: SchemaIssue.Issue, input: unknown): InvalidInput => {
  const first = format(issue).issues[0]
  const where = (first?.path ?? []).map(FieldPath.keyOf)
  const union = findUnmatched(issue)
  const kind = union === undefined || !isObject(at(input, where)) ? undefined : kindOf(union)
  if (union !== undefined && kind !== undefined) {
    return invalid(FieldPath.text([...where, kind]), `Expected ${valuesOf(union, kind).join(" | ")}`)
  }
  return invalid(where.length === 0 ? null : FieldPath.text(where), first?.message ?? "Invalid request")
}

/**
 * For bodies. Refuses unknown members: a misspelt field must never be ignored. Removes nulls that count as absent from the
 * input itself, so that echoes and hashes equal those without the member.
 */
export const strict = <A>(schema: Decodable<A>): ((input: unknown) => Effect.Effect<A, InvalidInput>) => {
  const removeNulls = AbsentNulls.of(schema)
  const decode = Schema.decodeUnknownResult(compileOnUse(schema), { onExcessProperty: "error" })
  return (input) => {
    removeNulls(input)
    return Effect.fromResult(Result.mapError(decode(input), (error) => toInvalid(error.issue, input)))
  }
}

/** Ignores unknown members, as in queries (contract 14.2). */
export const lenient = <A>(schema: Decodable<A>): ((input: unknown) => Effect.Effect<A, InvalidInput>) => {
  const decode = Schema.decodeUnknownResult(compileOnUse(schema))
  return (input) => Effect.fromResult(Result.mapError(decode(input), (error) => toInvalid(error.issue, input)))
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** A JSON object from a body, of no more members than are parsed and decoded in a moment; an empty body is `{}`. */
export const jsonObject = (bytes: Uint8Array): Effect.Effect<Schema.JsonObject, InvalidInput> =>
  Effect.suspend(() => {
    if (bytes.length === 0) return Effect.succeed({})
    let value: unknown
    try {
      const text = utf8.decode(bytes)
      const beyond = JsonShape.memberBeyond(text, Limits.bodyMembersMax)
      if (beyond !== undefined) {
        return invalid(beyond, `A body has at most ${Limits.bodyMembersMax} members and items in all`)
      }
      value = JSON.parse(text)
    } catch {
      return invalid(null, "The body is not valid JSON")
    }
    return isObject(value) ? Effect.succeed(value) : invalid(null, "The body must be a JSON object")
  })

/** Whether a `Content-Type` says JSON; parameters such as a charset are fine. */
export const isJsonType = (contentType: string | undefined): boolean =>
  contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType)
