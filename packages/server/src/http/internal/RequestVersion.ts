/** The dated version that a request is answered in (contract 11): the one it names, or else the newest. */
import { versionHeader } from "@limbeck/api/Brand"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Effect from "effect/Effect"
import { ServerSettings } from "../../Settings.ts"
import { Exchange } from "./Exchange.ts"

export const RequestVersion = Effect.map(Exchange, ({ version }) => version)

/** What the answer to a request says that names this one; a version that we do not know is refused in the newest. */
export const of = (named: string | undefined): string =>
  named !== undefined && ApiVersions.isKnown(named) ? named : ApiVersions.newest

/** Why a request is refused that names a version that there is not. */
export const refusalOf = ({ namedVersion }: Exchange, brand: string): InvalidInput | undefined =>
  namedVersion === undefined || ApiVersions.isKnown(namedVersion)
    ? undefined
    : invalid(versionHeader(brand), `Unknown version; known: ${ApiVersions.known}`)

/** Refuses a request that names a version that there is not. */
export const check = Effect.gen(function* () {
  const refusal = refusalOf(yield* Exchange, (yield* ServerSettings).brand)
  if (refusal !== undefined) return yield* refusal
})

/** What a handler returns, in the version of its request. */
export const render = (answer: unknown): Effect.Effect<unknown> =>
  Effect.map(Exchange, ({ version }) => ApiVersions.answerIn(version, answer))
