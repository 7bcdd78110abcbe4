/** What a deployment may be (contract 7, 14.26). Pure; a refusal names the field as the wire does. */

import * as SourceRules from "@limbeck/capture/source/SourceRules"
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import type { Endpoint } from "@limbeck/distill/student/Endpoint"
import * as Result from "effect/Result"
import { ServingLimits } from "../../Limits.ts"
import type { Deployment } from "../Deployment.ts"

type Validation<A> = Result.Result<A, InvalidInput>

/** Without what calls write before it. */
export const alias = (text: string): Validation<string> => {
  if (text.length > ServingLimits.aliasMax) {
    return Result.fail(invalid("alias", `An alias is at most ${ServingLimits.aliasMax} characters long`))
  }
  return SourceRules.slug.test(text)
    ? Result.succeed(text)
    : Result.fail(
        invalid("alias", "An alias is a slug: lowercase letters, digits, '-', '_' and '.', and no prefix before it")
      )
}

/**
 * An active student with a partial share needs a fallback. A shadow student may stand beside an active deployment, so it
 * needs none.
 */
export const fallback = ({
  hasFallback,
  mode,
  trafficPercent
}: Pick<Deployment, "mode" | "trafficPercent"> & { readonly hasFallback: boolean }): Validation<void> =>
  hasFallback || mode === "shadow" || trafficPercent === 100
    ? Result.void
    : Result.fail(invalid("fallback", "The rest of the traffic goes to the fallback: name one"))

/** What an endpoint is to become; what is absent stays. */
export interface EndpointPatch {
  readonly baseUrl?: string | undefined
  readonly model?: string | undefined
  /** Null: none from now on. */
  readonly apiKey?: string | null | undefined
}

const within = <A>(checked: Validation<A>): Validation<A> =>
  Result.mapError(checked, ({ message, param }) => invalid(`endpoint.${param}`, message))

/** Checks the given endpoint, before its student is known. */
export const checkEndpoint = (
  policy: EgressPolicy,
  livemode: boolean,
  { apiKey, baseUrl, model }: EndpointPatch
): Validation<EndpointPatch> =>
  Result.gen(function* () {
    return {
      model,
      baseUrl: baseUrl === undefined ? undefined : yield* within(SourceRules.baseUrl(policy, livemode, baseUrl)),
      apiKey: typeof apiKey === "string" ? yield* within(SourceRules.apiKey(apiKey)) : apiKey
    }
  })

const missing = (param: string) => Result.fail(invalid(param, "This field is required"))

/** The new endpoint of a language model, with a key to encrypt, or undefined to keep the stored key. */
export const endpoint = (
  before: Endpoint | null,
  given: EndpointPatch
): Validation<{ readonly baseUrl: string; readonly model: string; readonly apiKey: string | null | undefined }> => {
  const baseUrl = given.baseUrl ?? before?.baseUrl
  const model = given.model ?? before?.model
  if (baseUrl === undefined) return missing("endpoint.base_url")
  if (model === undefined) return missing("endpoint.model")
  if (before === null) return Result.succeed({ baseUrl, model, apiKey: given.apiKey ?? null })
  const isKept = given.apiKey === undefined && before.sealedKey !== null
  const mayMove = isKept ? within(SourceRules.keyMove(before.baseUrl, baseUrl)) : Result.void
  return Result.map(mayMove, () => ({ baseUrl, model, apiKey: given.apiKey }))
}
