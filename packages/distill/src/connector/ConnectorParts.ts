/** Splits a request's configuration into its plain part and its credential. Pure. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import * as Connector from "./Connector.ts"
import * as Rules from "./internal/ConnectorRules.ts"

/** The creation request, with its shape checked. */
export type ConnectorRequest = {
  readonly [K in keyof typeof Connector.configs]: {
    readonly kind: K
    readonly config: (typeof Connector.configs)[K]["Type"]
  }
}[keyof typeof Connector.configs]

export type ConfigPatch = {
  readonly [K in keyof typeof Connector.patches]: {
    readonly kind: K
    readonly config: (typeof Connector.patches)[K]["Type"]
  }
}[keyof typeof Connector.patches]

interface Parts {
  readonly rule: Connector.Rule
  readonly credential: string | null
}

type S3Request = Extract<ConnectorRequest, { readonly kind: "s3" }>["config"]

const s3Parts = (config: S3Request): Result.Result<Parts, InvalidInput> =>
  Result.flatMap(Rules.s3Keys({ session_token: undefined, ...config }, false), (keys) => {
    if (keys === undefined) return Result.fail(invalid("config.access_key_id", Rules.nothingKept))
    const rule = {
      kind: "s3",
      config: {
        bucket: config.bucket,
        prefix: config.prefix ?? null,
        key: config.key ?? null,
        region: config.region,
        endpoint: config.endpoint ?? null,
        force_path_style: config.force_path_style ?? false,
        is_session: keys.session_token !== null
      }
    } as const
    return Result.succeed({ rule, credential: Connector.encodeS3Credential(keys) })
  })

export const partsOf = (asked: ConnectorRequest): Result.Result<Parts, InvalidInput> => {
  if (asked.kind === "s3") return s3Parts(asked.config)
  if (asked.kind === "http_jsonl") {
    const { auth_header: header, url } = asked.config
    return Result.succeed({ rule: { kind: asked.kind, config: { url } }, credential: header ?? null })
  }
  const { api_key: credential, base_url: baseUrl, metadata, model } = asked.config
  const config = { base_url: baseUrl ?? Connector.defaultBaseUrl, model: model ?? null, metadata: metadata ?? null }
  return Result.succeed({ rule: { kind: asked.kind, config }, credential })
}

const kept = <A>(given: A | undefined, before: A): A => (given === undefined ? before : given)

/** `credential` is undefined to keep the stored one. */
interface PatchedParts {
  readonly rule: Connector.Rule
  readonly credential: string | null | undefined
}

const unmasked = <A>(credential: A) => (credential === Rules.mask ? undefined : credential)

type S3Rule = Extract<Connector.Rule, { readonly kind: "s3" }>
type S3Patch = Extract<ConfigPatch, { readonly kind: "s3" }>["config"]

const patchedS3 = ({ config, kind }: S3Rule, asked: S3Patch): Result.Result<PatchedParts, InvalidInput> => {
  const sent = { access_key_id: undefined, secret_access_key: undefined, session_token: undefined, ...asked }
  return Result.map(Rules.s3Keys(sent, config.is_session), (keys) => {
    const changed = {
      bucket: asked.bucket ?? config.bucket,
      prefix: kept(asked.prefix, config.prefix),
      key: kept(asked.key, config.key),
      region: asked.region ?? config.region,
      endpoint: kept(asked.endpoint, config.endpoint),
      force_path_style: asked.force_path_style ?? config.force_path_style,
      is_session: keys === undefined ? config.is_session : keys.session_token !== null
    }
    const credential = keys === undefined ? undefined : Connector.encodeS3Credential(keys)
    return { rule: { kind, config: changed }, credential }
  })
}

export const patch = (rule: Connector.Rule, asked: ConfigPatch): Result.Result<PatchedParts, InvalidInput> => {
  if (rule.kind === "s3" && asked.kind === "s3") return patchedS3(rule, asked.config)
  if (rule.kind === "http_jsonl" && asked.kind === "http_jsonl") {
    const credential = unmasked(asked.config.auth_header)
    return Result.succeed({
      credential,
      rule: { kind: rule.kind, config: { url: asked.config.url ?? rule.config.url } }
    })
  }
  if (rule.kind === "openai_stored_completions" && asked.kind === "openai_stored_completions") {
    const config = {
      base_url: asked.config.base_url ?? rule.config.base_url,
      model: kept(asked.config.model, rule.config.model),
      metadata: kept(asked.config.metadata, rule.config.metadata)
    }
    return Result.succeed({ credential: unmasked(asked.config.api_key), rule: { kind: rule.kind, config } })
  }
  return Result.succeed({ credential: undefined, rule })
}
