/** The rules of a connector that its shape cannot say. Each answers with the path of the field that breaks it. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import * as TenantUrl from "@limbeck/core/egress/TenantUrl"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import { endpointOf, type Rule, type S3Credential } from "../Connector.ts"

/** The shown form of a credential. Sent back, it keeps the stored one. */
export const mask = "********"

const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): *(.*)$/

/** Headers that are ours or the connection's. */
const reservedHeaders = [
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "expect",
  "host",
  "if-range",
  "keep-alive",
  "proxy-connection",
  "range",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent"
]

/** Splits an auth header into name and value. */
export const headerOf = (text: string): readonly [name: string, value: string] => {
  const [, name, value] = headerLine.exec(text) ?? []
  return name === undefined || value === undefined ? ["authorization", text] : [name.toLowerCase(), value]
}

const urlOf = (rule: Rule): string => {
  switch (rule.kind) {
    case "http_jsonl":
      return rule.config.url
    case "openai_stored_completions":
      return rule.config.base_url
    case "s3":
      return endpointOf(rule.config)
  }
}

const baseUrlFault = (text: string): string | undefined => {
  const { hash, search } = new URL(text)
  return search === "" && hash === "" ? undefined : "A base URL has no query and no fragment"
}

export const nothingKept = "This is what a kept credential looks like; there is none to keep"

const credentialFault = (rule: Rule, credential: string | null): string | undefined => {
  if (credential === mask) return nothingKept
  if (rule.kind !== "http_jsonl" || credential === null) return undefined
  const [name, value] = headerOf(credential)
  if (value === "") return "The header has no value"
  return reservedHeaders.includes(name) ? "This header cannot be set; name another" : undefined
}

const credentialParams = {
  http_jsonl: "config.auth_header",
  openai_stored_completions: "config.api_key",
  s3: "config.access_key_id"
} as const

const credentialParam = ({ kind }: Rule): string => credentialParams[kind]

const urlParams = { http_jsonl: "config.url", openai_stored_completions: "config.base_url", s3: "config.endpoint" }

/** Where requests may go, and for whom. */
export interface NetworkAccess {
  readonly policy: EgressPolicy.EgressPolicy
  readonly livemode: boolean
}

const endpointFault = (text: string): string | undefined => {
  const { hash, pathname, search } = new URL(text)
  return pathname === "/" && search === "" && hash === "" ? undefined : "An endpoint is a scheme and a host"
}

const formFault = (rule: Rule): string | undefined => {
  if (rule.kind === "http_jsonl") return undefined
  return rule.kind === "s3" ? endpointFault(urlOf(rule)) : baseUrlFault(urlOf(rule))
}

const urlFault = (rule: Rule, { livemode, policy }: NetworkAccess): string | undefined =>
  TenantUrl.httpFault(urlOf(rule)) ?? formFault(rule) ?? EgressPolicy.plainHttpFault(policy, livemode, urlOf(rule))

export const check = (
  rule: Rule,
  credential: string | null,
  reach: NetworkAccess
): Result.Result<void, InvalidInput> => {
  if (rule.kind === "s3" && rule.config.key !== null && rule.config.prefix !== null) {
    return Result.fail(invalid("config.key", "Name a key or a prefix, not both"))
  }
  const wrongUrl = urlFault(rule, reach)
  if (wrongUrl !== undefined) return Result.fail(invalid(urlParams[rule.kind], wrongUrl))
  const wrong = credentialFault(rule, credential)
  return wrong === undefined ? Result.void : Result.fail(invalid(credentialParam(rule), wrong))
}

/** All regions of AWS are one place: they know the same keys, and no key is sent to any. */
const originOf = (rule: Rule): string =>
  rule.kind === "s3" && rule.config.endpoint === null ? "aws" : new URL(urlOf(rule)).origin

/** A stored credential is sent only to its own origin. */
export const checkMove = (before: Rule, after: Rule): Result.Result<void, InvalidInput> =>
  originOf(before) === originOf(after)
    ? Result.void
    : Result.fail(invalid(credentialParam(after), "The URL leads to another origin: send the credential for it too"))

type S3Keys = Readonly<Record<"access_key_id" | "secret_access_key", string | undefined>> & {
  readonly session_token: string | null | undefined
}

/** S3's credentials are changed together: undefined where the kept ones stay. `isSession`: there is a kept session token. */
export const s3Keys = (asked: S3Keys, isSession: boolean): Result.Result<S3Credential | undefined, InvalidInput> => {
  const { access_key_id: id = mask, secret_access_key: secret = mask, session_token: token } = asked
  if (id !== mask && secret !== mask) {
    return token === mask
      ? Result.fail(invalid("config.session_token", "A session token goes with its keys: send it with them"))
      : Result.succeed({ access_key_id: id, secret_access_key: secret, session_token: token ?? null })
  }
  const together = "The access key's id and secret are changed together: send both"
  if (id !== mask) return Result.fail(invalid("config.secret_access_key", together))
  if (secret !== mask) return Result.fail(invalid("config.access_key_id", together))
  const isKept = token === undefined || (token === mask && isSession) || (token === null && !isSession)
  return isKept ? Result.succeed(undefined) : Result.fail(invalid("config.access_key_id", "Send the token's keys too"))
}
