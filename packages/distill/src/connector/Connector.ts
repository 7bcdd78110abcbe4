/** A connector: where rows can be pulled from, and how we are let in (contract 6, 14.27). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { Limits } from "../Limits.ts"

export const ConnectorId = Id.schema("con")
export type ConnectorId = typeof ConnectorId.Type

const text = (max: number) => Schema.NonEmptyString.check(Schema.isMaxLength(max))
const url = text(Limits.urlMax)
const model = text(Limits.nameMax)
const metadata = Schema.Record(text(Limits.nameMax), Schema.String.check(Schema.isMaxLength(Limits.urlMax)))

/** Never shown again, and never named by an error: the pattern is all that is said of it. */
const credential = Schema.String.check(
  Schema.isMaxLength(Limits.credentialMax, { message: `A credential has at most ${Limits.credentialMax} characters` }),
  Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/, {
    message: "A credential is visible ASCII, with no space at its ends"
  })
)

/** What each kind is told at its creation. */
export const configs = {
  /**
   * A file of rows at a URL. `auth_header`: the value of `Authorization`, or a whole header, `Name: value`.
   */
  http_jsonl: Schema.Struct({ url, auth_header: Schema.optionalKey(Schema.NullOr(credential)) }),
  /** Chat completions that a provider keeps. `base_url` includes `/v1`; only those of `model` and with all of `metadata`. */
  openai_stored_completions: Schema.Struct({
    base_url: Schema.optionalKey(url),
    api_key: credential,
    model: Schema.optionalKey(model),
    metadata: Schema.optionalKey(metadata)
  }),
  /** Not set up on this server. */
  s3: Schema.JsonObject
} as const

/** What each kind may be told later: what is not named stays, null takes away. */
export const patches = {
  http_jsonl: Schema.Struct({
    url: Schema.optionalKey(url),
    auth_header: Schema.optionalKey(Schema.NullOr(credential))
  }),
  openai_stored_completions: Schema.Struct({
    base_url: Schema.optionalKey(url),
    api_key: Schema.optionalKey(credential),
    model: Schema.optionalKey(Schema.NullOr(model)),
    metadata: Schema.optionalKey(Schema.NullOr(metadata))
  })
} as const

export const defaultBaseUrl = "https://api.openai.com/v1"

/** What is kept of a configuration in the clear. */
export const Rule = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("http_jsonl"), config: Schema.Struct({ url: Schema.String }) }),
  Schema.Struct({
    kind: Schema.Literal("openai_stored_completions"),
    config: Schema.Struct({
      base_url: Schema.String,
      model: Schema.NullOr(Schema.String),
      metadata: Schema.NullOr(Schema.Record(Schema.String, Schema.String))
    })
  })
])
export type Rule = typeof Rule.Type

export const Connector = Schema.Struct({
  id: ConnectorId,
  name: Schema.String,
  rule: Rule,
  /** The auth header or the API key. */
  sealedCredential: Schema.NullOr(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type Connector = typeof Connector.Type

export const kind = Kind.make({ name: "connector", schema: Connector })
