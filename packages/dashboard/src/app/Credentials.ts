/** What requests of the page carry: a token, or the session of a person in one workspace and mode. */
import { type Client, ConnectionError, errorOf, makeClient, type Page } from "@limbeck/client"

export type Credentials =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "session"; readonly csrfToken: string; readonly workspace: string; readonly livemode: boolean }

/** What `GET /v1/whoami` answers. */
export type Whoami = Awaited<ReturnType<Client["whoami"]>>

/** The API stands where the page stands. */
export const apiBase = () => new URL(".", document.baseURI).href.replace(/\/$/, "")

const headersOf = (as: Credentials): Readonly<Record<string, string>> =>
  as.kind === "token"
    ? { authorization: `Bearer ${as.token}` }
    : {
        "service-workspace": as.workspace,
        "service-mode": as.livemode ? "live" : "test",
        "x-csrf-token": as.csrfToken
      }

/** Transforms a response's bytes into a smaller JSON text, which can be parsed on the page. */
export type Reduce = (bytes: ArrayBuffer) => Promise<string>

/** The browser adds a session's cookie by itself. `reduce` transforms every successful answer. */
export const clientOf = (as: Credentials, reduce?: Reduce): Client =>
  makeClient({
    baseUrl: apiBase(),
    token: "",
    fetch: async (request) => {
      request.headers.delete("authorization")
      for (const [name, value] of Object.entries(headersOf(as))) request.headers.set(name, value)
      const response = await fetch(request)
      if (reduce === undefined || !response.ok) return response
      const { headers, status } = response
      return new Response(await reduce(await response.arrayBuffer()), { headers, status })
    }
  })

/** Requests routes outside the OpenAPI document and its client: billing, people, sessions. */
export type Ask = <A>(method: string, path: string, body?: object) => Promise<A>

const askWith =
  (headers: Readonly<Record<string, string>>, isKeyed: boolean): Ask =>
  async (method, path, body) => {
    const answer = await fetch(`${apiBase()}/v1/${path}`, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "POST" && isKeyed ? { "idempotency-key": crypto.randomUUID() } : {})
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    }).catch((error) => {
      throw new ConnectionError("No answer came", { cause: error })
    })
    const text = await answer.text()
    if (!answer.ok) throw errorOf(answer.status, text, answer.headers.get("x-request-id"))
    // What the route answers.
    return JSON.parse(text)
  }

export const askOf = (as: Credentials | null): Ask => askWith(as === null ? {} : headersOf(as), as !== null)

/** The bytes of an answer, such as a file. */
export type Download = (path: string) => Promise<Blob>

export const downloadOf =
  (as: Credentials): Download =>
  async (path) => {
    const answer = await fetch(`${apiBase()}/v1/${path}`, { headers: headersOf(as) }).catch((error) => {
      throw new ConnectionError("No answer came", { cause: error })
    })
    if (!answer.ok) throw errorOf(answer.status, await answer.text(), answer.headers.get("x-request-id"))
    return answer.blob()
  }

/** For requests outside of every workspace: settling an invitation, signing out. */
export const askInSession = (csrfToken: string): Ask => askWith({ "x-csrf-token": csrfToken }, false)

/** A list of such a route, page by page. */
export const pagesOf =
  <A>(ask: Ask, path: string) =>
  ({ cursor }: { cursor?: string }) => ({
    page: () =>
      ask<Page<A>>("GET", `${path}?limit=100${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
  })
