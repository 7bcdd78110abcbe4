/** One request and its answer, as the edge knows them: one object, so that a request adds one service to those of its server. */
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Context from "effect/Context"

export interface Exchange {
  /** As it was sent, without its question mark. */
  readonly query: string
  /** The dated version that the request names, which there may not be. */
  readonly namedVersion: string | undefined
  /** The dated version that the request is answered in. */
  readonly version: string
  /** What is said in the head of the answer, whatever the answer is: filled while the request is taken in, put on at the edge. */
  readonly headers: Record<string, string>
}

/** By default what holds where there is no request: nobody reads its headers. */
export const Exchange = Context.Reference<Exchange>("@limbeck/server/http/Exchange", {
  defaultValue: () => ({ query: "", namedVersion: undefined, version: ApiVersions.newest, headers: {} })
})
