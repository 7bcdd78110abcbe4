/** The dated version that a request is answered in (contract 11): the one it names, or else the newest. */
import { versionHeader } from "@limbeck/api/Brand"
import { invalid } from "@limbeck/core/errors/Errors"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ServerSettings } from "../../Settings.ts"

export const RequestVersion = Context.Reference<string>("@limbeck/server/http/RequestVersion", {
  defaultValue: () => ApiVersions.newest
})

const namedBy = (request: HttpServerRequest, brand: string): string | undefined =>
  request.headers[versionHeader(brand).toLowerCase()]

/** What the answer says; a version that we do not know is refused in the newest. */
export const of = (request: HttpServerRequest, brand: string): string => {
  const named = namedBy(request, brand)
  return named !== undefined && ApiVersions.isKnown(named) ? named : ApiVersions.newest
}

/** Refuses a request that names a version that there is not. */
export const check = (request: HttpServerRequest) =>
  Effect.flatMap(ServerSettings, ({ brand }) => {
    const named = namedBy(request, brand)
    return named === undefined || ApiVersions.isKnown(named)
      ? Effect.void
      : Effect.fail(invalid(versionHeader(brand), `Unknown version; known: ${ApiVersions.known}`))
  })

/** What a handler returns, in the version of its request. */
export const render = (answer: unknown): Effect.Effect<unknown> =>
  Effect.map(RequestVersion, (version) => ApiVersions.answerIn(version, answer))
