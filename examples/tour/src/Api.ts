// A client in plain Node, as in any program that is not written with Effect.
// @effect-diagnostics globalFetch:off
/** Speaks to the API as any client would: `fetch`, a bearer token, JSON. */
import { setTimeout as sleep } from "node:timers/promises"
import { BrokenClaim } from "./Claims.ts"

interface Answer<A> {
  readonly status: number
  readonly headers: Headers
  /** The very bytes, as text. */
  readonly text: string
  readonly body: A
}

export interface Api {
  /** Any answer, whatever its status. */
  readonly request: <A>(method: string, path: string, options?: RequestOptions) => Promise<Answer<A>>
  /** The body of a 200. */
  readonly get: <A>(path: string) => Promise<A>
  /** The body of a 201. */
  readonly create: <A>(path: string, body: object, key?: string) => Promise<A>
  /** The body of a 200. */
  readonly patch: <A>(path: string, body: object) => Promise<A>
  /** Reads until `done`, at growing distances, for at most `withinSeconds`. */
  readonly pollUntil: <A>(
    what: string,
    read: () => Promise<A>,
    done: (value: A) => boolean,
    withinSeconds?: number
  ) => Promise<A>
}

interface RequestOptions {
  /** The body as it is sent. */
  readonly body?: string
  readonly key?: string
}

/** Everything stops when `stop` is told to. */
export const make = (origin: string, token: string, stop: AbortSignal): Api => {
  const request = async <A>(method: string, path: string, { body, key }: RequestOptions = {}): Promise<Answer<A>> => {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body }),
      signal: stop
    })
    const text = await response.text()
    // Readers assert the fields that they use.
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) as A }
  }

  const expect = async <A>(status: number, method: string, path: string, options?: RequestOptions): Promise<A> => {
    const answer = await request<A>(method, path, options)
    if (answer.status === status) return answer.body
    throw new BrokenClaim(`${method} ${path} ought to answer ${status}, and answers ${answer.status}: ${answer.text}`)
  }

  return {
    request,
    get: (path) => expect(200, "GET", path),
    create: (path, body, key) =>
      expect(201, "POST", path, { body: JSON.stringify(body), ...(key === undefined ? {} : { key }) }),
    patch: (path, body) => expect(200, "PATCH", path, { body: JSON.stringify(body) }),
    pollUntil: async (what, read, done, withinSeconds = 20) => {
      const deadline = performance.now() + withinSeconds * 1_000
      for (let pause = 20; ; pause = Math.min(pause * 1.5, 250)) {
        const value = await read()
        if (done(value)) return value
        if (performance.now() > deadline) throw new BrokenClaim(`${what} ought to be over within ${withinSeconds} s`)
        await sleep(pause, undefined, { signal: stop })
      }
    }
  }
}
