// @effect-diagnostics globalFetch:off
/** A plain HTTP client that holds every answer to what the contract says of all of them. */
import { assert } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import { assertDocumented, operationOf } from "./Document.ts"

type HeaderRecord = Readonly<Record<string, string>>

export interface Answer<A> {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** What the document says the body is; the client has checked it. */
  readonly body: A
}

export interface ListOf<A> {
  readonly data: ReadonlyArray<A>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export interface Client {
  /** The body goes as it is. */
  readonly send: <A>(
    method: string,
    path: string,
    options?: { readonly body?: RequestInit["body"]; readonly headers?: HeaderRecord }
  ) => Promise<Answer<A>>
  readonly get: <A>(path: string, headers?: HeaderRecord) => Promise<Answer<A>>
  readonly delete: <A>(path: string, headers?: HeaderRecord) => Promise<Answer<A>>
  /** The body goes as JSON; absent, nothing goes. */
  readonly post: <A>(path: string, body?: unknown, headers?: HeaderRecord) => Promise<Answer<A>>
  readonly patch: <A>(path: string, body: unknown, headers?: HeaderRecord) => Promise<Answer<A>>
  /** The same server, asked with other headers in every request. */
  readonly with: (headers: HeaderRecord) => Client
}

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
  catalog_unavailable: "api_error"
}

const assertEnvelope = (status: number, body: unknown, headers: Headers) => {
  const { error } = body as ErrorEnvelope // The assertions below are the check.
  const members = ["type", "code", "message", "param", "request_id", ...(status === 429 ? ["retry_after_seconds"] : [])]
  assert.sameMembers(Object.keys(error), members)
  assert.strictEqual(error.type, typeOf[error.code], `the type of ${error.code}`)
  assert.strictEqual(error.request_id, headers.get("x-request-id"))
  assert.isNotEmpty(error.message)
  assert.strictEqual(headers.get("www-authenticate"), status === 401 ? "Bearer" : null)
}

/** What holds of every answer: ids, the version, the envelope, the document. */
const judge = (method: string, url: string, brand: string, { body, headers, status }: Answer<unknown>) => {
  const { pathname: path } = new URL(url)
  assert.match(headers.get("x-request-id") ?? "", requestIdPattern)
  assert.strictEqual(headers.get(`${brand}-version`), "2026-11-01")
  if (method === "HEAD" || status === 204) return
  const type = headers.get("content-type")?.split(";")[0] ?? ""
  if (status >= 400 && path !== "/healthz") assertEnvelope(status, body, headers)
  if (operationOf(method, path) === undefined) assert.isAtLeast(status, 400, `${method} ${path} is not in the document`)
  assertDocumented({ method, path }, { status, type, body })
}

const parse = (text: string, type: string | null): unknown => {
  if (text === "") return undefined
  return type?.startsWith("application/json") ? JSON.parse(text) : text
}

export const client = (origin: string, token: string | null, brand = "Service", always: HeaderRecord = {}): Client => {
  const authorization: HeaderRecord = token === null ? {} : { authorization: `Bearer ${token}` }

  const send: Client["send"] = async <A>(method: string, path: string, options: Parameters<Client["send"]>[2] = {}) => {
    const url = path.startsWith("http") ? path : origin + path
    const streamed = options.body instanceof ReadableStream ? { duplex: "half" } : {}
    const response = await fetch(url, {
      method,
      headers: { ...authorization, ...always, ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body }),
      ...streamed
    })
    const text = await response.text()
    const body = parse(text, response.headers.get("content-type")) as A // Checked against the document just below.
    const answer: Answer<A> = { status: response.status, headers: response.headers, text, body }
    judge(method, url, brand, answer)
    return answer
  }

  const sendJson =
    (method: string) =>
    <A>(path: string, body?: unknown, headers: HeaderRecord = {}) =>
      send<A>(
        method,
        path,
        body === undefined
          ? { headers }
          : { body: JSON.stringify(body), headers: { "content-type": "application/json", ...headers } }
      )

  return {
    send,
    get: (path, headers = {}) => send("GET", path, { headers }),
    delete: (path, headers = {}) => send("DELETE", path, { headers }),
    post: sendJson("POST"),
    patch: sendJson("PATCH"),
    with: (headers) => client(origin, token, brand, { ...always, ...headers })
  }
}

/** Fails unless the answer is this refusal. `param`: null where no field is to blame. */
export const assertRefused = (answer: Answer<unknown>, status: number, code: string, param: string | null = null) => {
  const { error } = answer.body as ErrorEnvelope // The client has checked the envelope.
  const refusal = { status: answer.status, code: error?.code, param: error?.param }
  assert.deepStrictEqual(refusal, { status, code, param }, answer.text)
}

export const assertInvalid = (answer: Answer<unknown>, param: string | null) =>
  assertRefused(answer, 400, "invalid_request_error", param)

/** Succeeds with this status, or says what came instead. */
export const expectStatus = <A>(answer: Answer<A>, status: number): A => {
  assert.strictEqual(answer.status, status, answer.text)
  return answer.body
}

/** The newest of a list that must hold one. */
export const firstOf = <A>({ data: [first] }: Pick<ListOf<A>, "data">): A => {
  assert.isDefined(first)
  return first as A // It was just asserted.
}
