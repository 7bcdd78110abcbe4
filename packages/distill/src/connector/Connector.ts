/** A connector: where rows can be pulled from, and how we are let in (contract 6, 14.27). */
import * as Id from "@limbeck/core/ids/Id"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as Kind from "@limbeck/core/resources/Kind"
import * as Characters from "@limbeck/core/text/Characters"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"

export const ConnectorId = Id.schema("con")
export type ConnectorId = typeof ConnectorId.Type

const text = (max: number) => Schema.NonEmptyString.check(Characters.isMaxCharacters(max))
const url = text(CoreLimits.urlMax).annotate({ format: "uri" })
const model = text(DistillLimits.nameMax)
const metadata = Schema.Record(
  text(DistillLimits.nameMax),
  Schema.String.check(Characters.isMaxCharacters(DistillLimits.metadataValueMax))
).check(Schema.isMaxProperties(DistillLimits.metadataMax))

/** Never shown, nor repeated in an error, which mentions only the pattern. */
const credential = Schema.String.check(
  Characters.isMaxCharacters(DistillLimits.credentialMax, {
    message: `A credential has at most ${DistillLimits.credentialMax} characters`
  }),
  Schema.isPattern(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u, {
    message: "A credential is visible ASCII, with no space at its ends"
  })
)

/** By the rules for new buckets, and for old ones in capitals; no ARN, no path. */
const bucket = Schema.String.check(
  Characters.isMaxCharacters(255),
  Schema.isPattern(/^[0-9A-Za-z][0-9A-Za-z._-]{1,253}[0-9A-Za-z]$/u, { message: "This is not the name of a bucket" })
)
/** Part of a host name. */
const region = Schema.String.check(
  Characters.isMaxCharacters(63),
  Schema.isPattern(/^[0-9a-z]([0-9a-z-]{0,61}[0-9a-z])?$/u, { message: "This is not the name of a region" })
)
/** S3 has keys of up to 1,024 bytes. */
const objectKey = text(1_024)

/** The configuration of each kind at creation. */
export const configs = {
  /**
   * A file of rows at a URL. `auth_header`: the value of `Authorization`, or a whole header, `Name: value`.
   */
  http_jsonl: Schema.Struct({ url, auth_header: Schema.optionalKey(Schema.NullOr(credential)) }),
  /** Chat completions stored by a provider. `base_url` includes `/v1`; filters by `model` and all of `metadata`. */
  openai_stored_completions: Schema.Struct({
    base_url: Schema.optionalKey(url),
    api_key: credential,
    model: Schema.optionalKey(model),
    metadata: Schema.optionalKey(metadata)
  }),
  /**
   * The objects of a bucket: one, by its `key`, or all whose keys begin with `prefix`. `endpoint`: a store that is not
   * AWS's. The three credentials belong together.
   */
  s3: Schema.Struct({
    bucket,
    prefix: Schema.optionalKey(objectKey),
    key: Schema.optionalKey(objectKey),
    region,
    endpoint: Schema.optionalKey(url),
    access_key_id: credential,
    secret_access_key: credential,
    session_token: Schema.optionalKey(Schema.NullOr(credential)),
    force_path_style: Schema.optionalKey(Schema.Boolean)
  })
} as const

/** The changes of each kind: a missing member stays, null removes it. */
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
  }),
  s3: Schema.Struct({
    bucket: Schema.optionalKey(bucket),
    prefix: Schema.optionalKey(Schema.NullOr(objectKey)),
    key: Schema.optionalKey(Schema.NullOr(objectKey)),
    region: Schema.optionalKey(region),
    endpoint: Schema.optionalKey(Schema.NullOr(url)),
    access_key_id: Schema.optionalKey(credential),
    secret_access_key: Schema.optionalKey(credential),
    session_token: Schema.optionalKey(Schema.NullOr(credential)),
    force_path_style: Schema.optionalKey(Schema.Boolean)
  })
} as const

export const defaultBaseUrl = "https://api.openai.com/v1"

/** The unencrypted part of a configuration. */
export const Rule = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("http_jsonl"), config: Schema.Struct({ url: Schema.String }) }),
  Schema.Struct({
    kind: Schema.Literal("openai_stored_completions"),
    config: Schema.Struct({
      base_url: Schema.String,
      model: Schema.NullOr(Schema.String),
      metadata: Schema.NullOr(Schema.Record(Schema.String, Schema.String))
    })
  }),
  Schema.Struct({
    kind: Schema.Literal("s3"),
    config: Schema.Struct({
      bucket: Schema.String,
      prefix: Schema.NullOr(Schema.String),
      key: Schema.NullOr(Schema.String),
      region: Schema.String,
      /** Null: AWS's own of the region. */
      endpoint: Schema.NullOr(Schema.String),
      force_path_style: Schema.Boolean,
      /** Whether a session token is among the credentials. */
      is_session: Schema.Boolean
    })
  })
])
export type Rule = typeof Rule.Type

/** What is sealed of an `s3` connector. */
const S3Credential = Schema.fromJsonString(
  Schema.Struct({
    access_key_id: Schema.String,
    secret_access_key: Schema.String,
    session_token: Schema.NullOr(Schema.String)
  })
)
export type S3Credential = typeof S3Credential.Type
export const encodeS3Credential = Schema.encodeSync(S3Credential)
export const decodeS3Credential = Schema.decodeSync(S3Credential)

/** Where an `s3` connector's requests go. China's regions have a domain of their own. */
export const endpointOf = ({ endpoint, region }: { readonly endpoint: string | null; readonly region: string }) =>
  endpoint ?? `https://s3.${region}.amazonaws.com${region.startsWith("cn-") ? ".cn" : ""}`

export const Connector = Schema.Struct({
  id: ConnectorId,
  name: Schema.String,
  rule: Rule,
  /** The auth header, the API key, or an `S3Credential`. */
  sealedCredential: Schema.NullOr(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type Connector = typeof Connector.Type

export const kind = Kind.make({ name: "connector", schema: Connector })
