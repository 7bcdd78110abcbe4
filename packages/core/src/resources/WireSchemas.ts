/** Schemas of members that the resources of the API share (service-api 2.1). */
import * as Schema from "effect/Schema"
import { Limits } from "../Limits.ts"
import * as Characters from "../text/Characters.ts"

export const Timestamp = Schema.String.annotate({
  identifier: "Timestamp",
  format: "date-time",
  description: "ISO 8601, UTC, with milliseconds"
})

/** Adds a rule to the OpenAPI document alone. A service checks it, with an error of its own. */
export const documentRule = (rule: Schema.JsonObject) =>
  Schema.makeFilter<unknown>(() => true, { toJsonSchema: () => rule })

/** The documented pattern of ids with a prefix. */
export const idPattern = (prefix: string) => documentRule({ pattern: `^${prefix}_[0-9a-hjkmnp-tv-z]{26}$` })

/** An id for examples. */
export const exampleId = (prefix: string) => `${prefix}_01kaf3tn0e5v2b8w6xq4rj7mcd`

/** An id of one kind, in responses and paths (contract 1). */
export const idOf = (prefix: string) =>
  Schema.String.check(idPattern(prefix)).annotate({ examples: [exampleId(prefix)] })

/** A URL in a response. */
export const UrlShown = Schema.String.annotate({ format: "uri" })

/** US dollars, with at most 6 decimals. */
export const Dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

/** A number of things. */
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A digest in a response. */
export const Digest = Schema.String.check(documentRule({ pattern: "^[0-9a-f]{64}$" }))

/** An id or a name of an existing resource. */
export const Reference = Schema.NonEmptyString.check(Characters.isMaxCharacters(Limits.referenceMax))
