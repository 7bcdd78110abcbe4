/** One request and its response from the edge's view: a single object, so that a request adds one service to the server's. */
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Context from "effect/Context"

export interface Exchange {
  /** The raw query, without its question mark. */
  readonly query: string
  /** The API version named by the request, possibly unknown. */
  readonly namedVersion: string | undefined
  /** The API version of the response. */
  readonly version: string
  /** Headers common to any response: collected during the request, added at the edge. */
  readonly headers: Record<string, string>
}

/** The default outside a request: nobody reads its headers. */
export const Exchange = Context.Reference<Exchange>("@limbeck/server/http/Exchange", {
  defaultValue: () => ({ query: "", namedVersion: undefined, version: ApiVersions.newest, headers: {} })
})
