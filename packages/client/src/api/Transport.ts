// @effect-diagnostics globalFetch:off globalTimers:off globalRandom:off cryptoRandomUUID:off
/** Requests by Fetch, sent again where that does nothing twice. Works wherever Fetch does. */
import { ApiError, ConnectionError, errorOf, TimeoutError } from "./Errors.ts"
import * as Retry from "./Retry.ts"

export interface ClientOptions {
  /** The server's URL, such as `https://limbeck.example`, with its mount path. */
  readonly baseUrl: string
  /** A workspace's token, `svc_live_…` or `svc_test_…`. */
  readonly token: string
  /** How often a request is sent again at most; 2 by default. */
  readonly retriesMax?: number
  /** How long an attempt may take, in milliseconds; 60,000 by default. Of a stream: until it begins. */
  readonly timeoutMillis?: number
  /** The dated API version of responses; by default the server's newest. */
  readonly version?: string
  /** Sends a request; the global `fetch` by default. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Ends all requests of the client. */
  readonly signal?: AbortSignal
}

export interface RequestOptions {
  /** Of a write: the same key and body do it once. Made for each write by default. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  readonly timeoutMillis?: number
  readonly retriesMax?: number
}

export interface ClientRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Blob
  /** Whether the server takes an idempotency key. */
  readonly isKeyed?: boolean
}

const [defaultRetries, defaultTimeoutMillis] = [2, 60_000]

/** Ends early with the signal's reason. */
export const sleep = (millis: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", aborted)
      resolve()
    }, millis)
    if (signal?.aborted) aborted()
    else signal?.addEventListener("abort", aborted, { once: true })
  })

/** Fetch says "fetch failed" and keeps the cause, such as ECONNREFUSED, within; a cause may be several errors. */
const causeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return causeOf(error.cause)
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return error.message.includes(code) ? error.message || error.name : `${code} ${error.message}`.trim()
}

export class Transport {
  readonly #options: ClientOptions
  readonly #fetch: (request: Request) => Promise<Response>

  constructor(options: ClientOptions) {
    this.#options = options
    this.#fetch = options.fetch ?? ((request) => fetch(request))
  }

  /** Returns a 2xx response's body through `read`; throws an error otherwise. */
  async send<A>(sending: ClientRequest, given: RequestOptions, read: (response: Response) => Promise<A>): Promise<A> {
    const options = this.#endingWith(given)
    const idempotencyKey = sending.isKeyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined
    const repeatable = { method: sending.method, idempotencyKey }
    const attemptsMax = 1 + (options.retriesMax ?? this.#options.retriesMax ?? defaultRetries)
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#attempt(sending, idempotencyKey, options, read)
      } catch (error) {
        if (attempts >= attemptsMax || options.signal?.aborted) throw error
        const delay = Retry.delayMillis(repeatable, error, attempts, Math.random())
        if (delay === undefined) throw error
        await sleep(delay, options.signal)
      }
    }
  }

  /** The body as JSON. */
  json<A>(sending: ClientRequest, options: RequestOptions): Promise<A> {
    // The API's document defines this type.
    return this.send(sending, options, async (response) => JSON.parse(await response.text()) as A)
  }

  /** Ended by the client's signal too. */
  #endingWith(options: RequestOptions): RequestOptions {
    const { signal } = this.#options
    if (signal === undefined) return options
    return { ...options, signal: options.signal === undefined ? signal : AbortSignal.any([signal, options.signal]) }
  }

  /** Without the query, which may hold what people searched for. */
  #urlOf({ path }: ClientRequest): string {
    return this.#options.baseUrl.replace(/\/$/, "") + path.split("?")[0]
  }

  #requestOf(sending: ClientRequest, idempotencyKey: string | undefined, signal: AbortSignal): Request {
    const { baseUrl, token, version } = this.#options
    return new Request(baseUrl.replace(/\/$/, "") + sending.path, {
      method: sending.method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(typeof sending.body === "string" ? { "content-type": "application/json" } : {}),
        ...(version === undefined ? {} : { "service-version": version }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
        ...sending.headers
      },
      body: sending.body ?? null,
      signal
    })
  }

  async #attempt<A>(
    sending: ClientRequest,
    idempotencyKey: string | undefined,
    options: RequestOptions,
    read: (response: Response) => Promise<A>
  ): Promise<A> {
    const timeout = new AbortController()
    const millis = options.timeoutMillis ?? this.#options.timeoutMillis ?? defaultTimeoutMillis
    const timer = setTimeout(() => timeout.abort(), millis)
    const signal = options.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, options.signal])
    try {
      const response = await this.#fetch(this.#requestOf(sending, idempotencyKey, signal))
      if (response.ok) return await read(response)
      throw errorOf(response.status, await response.text(), response.headers.get("x-request-id"))
    } catch (error) {
      if (options.signal?.aborted) throw options.signal.reason
      if (timeout.signal.aborted)
        throw new TimeoutError(`No answer from ${this.#urlOf(sending)} within ${millis} ms`, { cause: error })
      // Fetch reports a failed connection as a TypeError, and a later break as other errors.
      if (error instanceof ApiError) throw error
      throw new ConnectionError(`No answer from ${this.#urlOf(sending)}: ${causeOf(error)}`, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
