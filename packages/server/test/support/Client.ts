/** The HTTP client of these tests: checks every response against the contract's common rules. */
import { assert } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import { type Answer, type Client, client as plainClient } from "@limbeck/testing/http/Client"
import * as ByClient from "./ByClient.ts"
import { assertDocumented, operationOf } from "./Document.ts"
import * as RouteRecord from "./RouteRecord.ts"

export { type Answer, type Client, expectStatus, firstOf, type ListOf } from "@limbeck/testing/http/Client"

export const requestIdPattern = /^req_[0-9a-hjkmnp-tv-z]{26}$/

/** `error.type` of every code (contract 3). */
const typeOf: Readonly<Record<string, string>> = {
  invalid_request_error: "invalid_request_error",
  authentication_error: "authentication_error",
  permission_error: "permission_error",
  not_found_error: "not_found_error",
  gone: "not_found_error",
  conflict_error: "conflict_error",
  idempotency_key_in_flight: "conflict_error",
  idempotency_key_reused: "conflict_error",
  rate_limit_error: "rate_limit_error",
  api_error: "api_error",
  teacher_model_unknown: "invalid_request_error",
  teacher_unavailable: "api_error",
  catalog_unavailable: "api_error",
  proxy_loop: "invalid_request_error",
  quota: "quota_error"
}

const assertEnvelope = (status: number, body: unknown, headers: Headers) => {
  const { error } = body as ErrorEnvelope // The assertions below are the check.
  const waits = status === 429 || "retry_after_seconds" in error
  const members = ["type", "code", "message", "param", "request_id", ...(waits ? ["retry_after_seconds"] : [])]
  if (waits) assert.strictEqual(headers.get("retry-after"), String(Math.ceil(error.retry_after_seconds ?? 0)))
  assert.sameMembers(Object.keys(error), members)
  assert.strictEqual(error.type, typeOf[error.code], `the type of ${error.code}`)
  assert.strictEqual(error.request_id, headers.get("x-request-id"))
  assert.isNotEmpty(error.message)
  assert.strictEqual(headers.get("www-authenticate"), status === 401 ? "Bearer" : null)
}

const newest = "2026-11-01"
const older = "2026-10-01"

interface Request {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Rules of every response: ids, the version, the envelope, and the newest version's document. */
const judge = ({ method, url, ...sent }: Request, brand: string, { body, headers, status }: Answer<unknown>) => {
  const { pathname: path } = new URL(url)
  assert.match(headers.get("x-request-id") ?? "", requestIdPattern)
  const asked = sent.headers[`${brand.toLowerCase()}-version`] === older ? older : newest
  assert.strictEqual(headers.get(`${brand}-version`), asked)
  const found = operationOf(method, path)
  RouteRecord.record(found?.operation.operationId, status)
  if (method === "HEAD" || status === 204) return
  const type = headers.get("content-type")?.split(";")[0] ?? ""
  if (status >= 400 && path !== "/healthz") assertEnvelope(status, body, headers)
  if (found === undefined) assert.isAtLeast(status, 400, `${method} ${path} is not in the document`)
  if (asked === newest || status >= 400) assertDocumented({ method, path }, { status, type, body })
}

export const client = (origin: string, token: string | null, brand = "Service"): Client =>
  plainClient(origin, token, {
    judge: (request, answer) => judge(request, brand, answer),
    ...(process.env["TEST_CLIENT"] === "typed" ? { send: ByClient.send } : {})
  })

/** Fails unless the answer is this refusal. `param`: null where no field is to blame. */
export const assertRefused = (answer: Answer<unknown>, status: number, code: string, param: string | null = null) => {
  const { error } = answer.body as ErrorEnvelope // The client has checked the envelope.
  const refusal = { status: answer.status, code: error?.code, param: error?.param }
  assert.deepStrictEqual(refusal, { status, code, param }, answer.text)
}

export const assertInvalid = (answer: Answer<unknown>, param: string | null) =>
  assertRefused(answer, 400, "invalid_request_error", param)
