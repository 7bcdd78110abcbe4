// @effect-diagnostics globalFetch:off
/** A plain HTTP client of our server. An optional judge checks every response. */
import { assert } from "@effect/vitest"

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
  /** The same server, asked by another transport. */
  readonly over: (send: Send) => Client
}

/** Looks at every answer and fails when it breaks a promise that holds of all. */
type Judge = (
  request: { readonly method: string; readonly url: string; readonly headers: HeaderRecord },
  answer: Answer<unknown>
) => void

/** Sends one request, as `fetch` does. */
export type Send = (
  url: string,
  init: {
    readonly method: string
    readonly headers: HeaderRecord
    readonly body?: NonNullable<RequestInit["body"]>
    readonly duplex?: "half"
  }
) => Promise<Response>

export interface ClientOptions {
  /** Headers of every request. */
  readonly headers?: HeaderRecord
  readonly judge?: Judge
  /** `fetch` by default. */
  readonly send?: Send
}

const parse = (text: string, type: string | null): unknown => {
  if (text === "") return undefined
  return type?.startsWith("application/json") ? JSON.parse(text) : text
}

/**
 * A client of the server at `origin`, with this token; null sends none.
 *
 * @example
 * const caller = client("http://127.0.0.1:8080", token)
 * const run = expectStatus(await caller.get<Run>(`/v1/distill/runs/${id}`), 200)
 */
export const client = (
  origin: string,
  token: string | null,
  { headers = {}, judge = () => {}, send: ask = fetch }: ClientOptions = {}
): Client => {
  const authorization: HeaderRecord = token === null ? {} : { authorization: `Bearer ${token}` }

  const send: Client["send"] = async <A>(method: string, path: string, options: Parameters<Client["send"]>[2] = {}) => {
    const url = path.startsWith("http") ? path : origin + path
    const streamed = options.body instanceof ReadableStream ? { duplex: "half" as const } : {}
    const sent = { ...authorization, ...headers, ...options.headers }
    const response = await ask(url, {
      method,
      headers: sent,
      ...(options.body == null ? {} : { body: options.body }),
      ...streamed
    })
    const text = await response.text()
    const body = parse(text, response.headers.get("content-type")) as A // Checked against the document just below.
    const answer: Answer<A> = { status: response.status, headers: response.headers, text, body }
    judge({ method, url, headers: sent }, answer)
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
    with: (more) => client(origin, token, { judge, send: ask, headers: { ...headers, ...more } }),
    over: (other) => client(origin, token, { judge, send: other, headers })
  }
}

/** Asserts the status and returns the body. */
export const expectStatus = <A>(answer: Answer<A>, status: number): A => {
  assert.strictEqual(answer.status, status, answer.text)
  return answer.body
}

/** The newest item of a non-empty list. */
export const firstOf = <A>({ data: [first] }: Pick<ListOf<A>, "data">): A => {
  assert.isDefined(first)
  return first as A // It was just asserted.
}
