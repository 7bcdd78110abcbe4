/** The API version of a response (contract 11): the request's, or else the newest. */
import { versionHeader } from "@limbeck/api/Brand"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as Effect from "effect/Effect"
import { ServerSettings } from "../../Settings.ts"
import { Exchange } from "./Exchange.ts"

export const RequestVersion = Effect.map(Exchange, ({ version }) => version)

/** The version of a response; the newest for an unknown name. */
export const of = (named: string | undefined): string =>
  named !== undefined && ApiVersions.isKnown(named) ? named : ApiVersions.newest

/** The refusal of an unknown version. */
export const refusalOf = ({ namedVersion }: Exchange, brand: string): InvalidInput | undefined =>
  namedVersion === undefined || ApiVersions.isKnown(namedVersion)
    ? undefined
    : invalid(versionHeader(brand), `Unknown version; known: ${ApiVersions.versionList}`)

/** Refuses a request with an unknown version. */
export const check = Effect.gen(function* () {
  const refusal = refusalOf(yield* Exchange, (yield* ServerSettings).brand)
  if (refusal !== undefined) return yield* refusal
})

/** What a handler returns, in the version of its request. */
export const render = (answer: unknown): Effect.Effect<unknown> =>
  Effect.map(Exchange, ({ version }) => ApiVersions.answerIn(version, answer))
