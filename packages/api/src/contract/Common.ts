/** Shapes that many endpoints share: identifiers, timestamps, lists (service-api 2.1). */
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import { documentRule, exampleId, idPattern, Reference } from "@limbeck/core/resources/WireSchemas"
import * as Characters from "@limbeck/core/text/Characters"
import { fromIso } from "@limbeck/core/time/Timestamp"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import { Limits } from "./Limits.ts"

export {
  Count,
  Dollars,
  documentRule,
  idOf,
  Reference,
  Timestamp,
  UrlShown
} from "@limbeck/core/resources/WireSchemas"

export const asCreated = <S extends Schema.Top>(schema: S) => schema.pipe(HttpApiSchema.status(201))

/** For actions whose work continues after the response. */
export const asAccepted = <S extends Schema.Top>(schema: S) => schema.pipe(HttpApiSchema.status(202))

/** The list envelope. */
export const listOf = <S extends Schema.Top>(item: S) =>
  Schema.Struct({ data: Schema.Array(item), has_more: Schema.Boolean, next_cursor: Schema.NullOr(Schema.String) })

/** A whole number of at least 1; larger than the maximum is clamped. `fallback`: what an absent one means. */
export const limitUpTo = (maximum: number, fallback: number) =>
  Schema.String.annotate({ default: String(fallback) })
    .check(Schema.isPattern(/^0*[1-9]\d*$/u, { message: "limit is a whole number of at least 1" }))
    .pipe(
      Schema.decodeTo(
        Schema.Int,
        SchemaTransformation.transform({ decode: (text) => Math.min(Number(text), maximum), encode: String })
      )
    )

/** An instant, as milliseconds. */
export const Instant = Schema.String.annotate({ format: "date-time" })
  .check(Schema.makeFilter((text: string) => fromIso(text) !== undefined || "This is not an ISO 8601 time with a zone"))
  .pipe(
    Schema.decodeTo(
      Schema.Finite,
      SchemaTransformation.transform({ decode: (text) => fromIso(text) ?? 0, encode: String })
    )
  )

const Limit = limitUpTo(CoreLimits.pageMax, CoreLimits.pageDefault)

/** Opaque: what the list itself has given out, with the same filters. */
const Cursor = Schema.String.check(documentRule({ minLength: 1, pattern: "^[A-Za-z0-9_-]+$" })).annotate({
  description: "A next_cursor of this list, with the same filters"
})

/** The query of every list. */
export const listQuery = {
  limit: Schema.optionalKey(Limit),
  cursor: Schema.optionalKey(Cursor),
  created_after: Schema.optionalKey(Instant),
  created_before: Schema.optionalKey(Instant)
}

/** The query of a list whose rows have no time: of a version, or of a catalog. */
export const pageQuery = { limit: listQuery.limit, cursor: listQuery.cursor }

export const Flag = Schema.Literals(["true", "false"])

/** An object that has no members; `Schema.Struct({})` would take any. */
export const NoFields = Schema.Record(Schema.String, Schema.Never)

/** An error about an empty list names the list, not a missing item. */
export const nonEmpty = <S extends Schema.Top>(item: S, max: number) =>
  Schema.Array(item).check(Schema.isMinLength(1), Schema.isMaxLength(max))

export const textUpTo = (max: number) => Schema.String.check(Characters.isMaxCharacters(max))

export const Sha256 = (message: string) =>
  textUpTo(Limits.sha256Max).check(Schema.isPattern(/^[0-9a-f]{64}$/u, { message }))

/** An id in a request. An unknown id and a malformed id get the same error. */
export const referenceTo = (prefix: string) =>
  Reference.check(idPattern(prefix)).annotate({ examples: [exampleId(prefix)] })

/**
 * An optional member with a meaningful null; `meaning` documents it. Null for any other optional member of a body counts as
 * absent (see `NullableRequests`).
 */
export const nullMeans = <S extends Schema.Top>(meaning: string, schema: S) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description: meaning }))

/** What no URL of a tenant's has in the clear: spaces, control characters, backslashes; and before its path no credentials. */
const odd = "\\u0000-\\u0020\\u007f\\\\"
const origin = `^[Hh][Tt][Tt][Pp][Ss]?://[^${odd}/?#@]+`

/** A URL in a request; the service checks its host. */
export const Url = textUpTo(CoreLimits.urlMax).check(
  documentRule({ minLength: 1, pattern: `${origin}([/?#][^${odd}]*)?$`, format: "uri" })
)

/** A URL that paths are added to. */
export const BaseUrl = textUpTo(CoreLimits.urlMax).check(
  documentRule({ minLength: 1, pattern: `${origin}(/[^${odd}?#]*)?$`, format: "uri" })
)

/** A name that stands in headers and model names. */
export const slugUpTo = (max: number) =>
  textUpTo(max).check(documentRule({ minLength: 1, pattern: "^[a-z0-9][a-z0-9._-]*$" }))

/** What a header carries: visible ASCII. */
export const credentialUpTo = (max: number) =>
  textUpTo(max).check(documentRule({ minLength: 1, pattern: "^[\\x21-\\x7e]+$" }))

/** A short text of a person: a name, a title. */
export const Name = Schema.NonEmptyString.check(Characters.isMaxCharacters(Limits.nameMax))
export const Description = textUpTo(Limits.descriptionMax)
