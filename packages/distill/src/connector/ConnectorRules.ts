/** The rules of a connector that its shape cannot say. Each answers with the path of the field that breaks it. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import type { Rule } from "./Connector.ts"

/** What a shown credential looks like. Sent back, it means the one that is kept. */
export const mask = "********"

const headerLine = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+): *(.*)$/

/** Headers that are ours or the connection's. */
const taken = [
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

/** An auth header as the name and value that it means. */
export const headerOf = (text: string): readonly [name: string, value: string] => {
  const [, name, value] = headerLine.exec(text) ?? []
  return name === undefined || value === undefined ? ["authorization", text] : [name.toLowerCase(), value]
}

/** Where it leads is checked when a connection is made. */
const urlFault = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "This is not an absolute http or https URL"
  return url.username !== "" || url.password !== "" ? "A URL must not hold credentials" : undefined
}

export const urlOf = ({ config, kind }: Rule): string => (kind === "http_jsonl" ? config.url : config.base_url)

const baseUrlFault = (text: string): string | undefined => {
  const { hash, search } = new URL(text)
  return search === "" && hash === "" ? undefined : "A base URL has no query and no fragment"
}

const credentialFault = (rule: Rule, credential: string | null): string | undefined => {
  if (credential === mask) return "This is what a kept credential looks like; there is none to keep"
  if (rule.kind !== "http_jsonl" || credential === null) return undefined
  const [name, value] = headerOf(credential)
  if (value === "") return "The header has no value"
  return taken.includes(name) ? "This header cannot be set; name another" : undefined
}

export const credentialParam = ({ kind }: Rule): string =>
  kind === "http_jsonl" ? "config.auth_header" : "config.api_key"

const urlParam = ({ kind }: Rule): string => (kind === "http_jsonl" ? "config.url" : "config.base_url")

export const check = (rule: Rule, credential: string | null): Result.Result<void, InvalidInput> => {
  const url = urlOf(rule)
  const wrongUrl = urlFault(url) ?? (rule.kind === "http_jsonl" ? undefined : baseUrlFault(url))
  if (wrongUrl !== undefined) return Result.fail(invalid(urlParam(rule), wrongUrl))
  const wrong = credentialFault(rule, credential)
  return wrong === undefined ? Result.void : Result.fail(invalid(credentialParam(rule), wrong))
}

/** A kept credential goes to the place that it was given for, and to no other. */
export const checkMove = (before: Rule, after: Rule): Result.Result<void, InvalidInput> =>
  new URL(urlOf(before)).origin === new URL(urlOf(after)).origin
    ? Result.void
    : Result.fail(invalid(credentialParam(after), "The URL leads to another origin: send the credential for it too"))
