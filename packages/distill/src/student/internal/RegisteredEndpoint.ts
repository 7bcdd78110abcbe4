/** The endpoint of a student that was trained elsewhere, held to the rules of a source's, with its key sealed. */
import * as SourceRules from "@limbeck/capture/source/SourceRules"
import { Upstream } from "@limbeck/capture/upstream/Upstream"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Prices } from "../Endpoint.ts"
import * as StudentModel from "../StudentModel.ts"

export interface NewEndpoint extends Prices {
  readonly baseUrl: string
  readonly model: string
  readonly apiKey: string | null
}

const within = <A>(checked: Result.Result<A, InvalidInput>): Result.Result<A, InvalidInput> =>
  Result.mapError(checked, ({ message, param }) => invalid(`endpoint.${param}`, message))

const price = (field: string, usd: number | null): Result.Result<number | null, InvalidInput> =>
  usd === null || Money.fromUsd(usd) !== undefined
    ? Result.succeed(usd)
    : Result.fail(invalid(`endpoint.${field}`, "US dollars, with at most 6 decimals"))

/** `id`: the student's id, the context of the sealed key. */
export const make = Effect.gen(function* () {
  const secrets = yield* Secrets
  const { policy } = yield* Upstream

  return Effect.fnUntraced(function* (partition: Partition, id: string, asked: NewEndpoint) {
    const { apiKey, model } = asked
    const endpoint: StudentModel.StudentEndpoint = {
      baseUrl: yield* Effect.fromResult(within(SourceRules.baseUrl(policy, partition.livemode, asked.baseUrl))),
      model,
      inputPerMillion: yield* Effect.fromResult(price("input_per_million", asked.inputPerMillion)),
      outputPerMillion: yield* Effect.fromResult(price("output_per_million", asked.outputPerMillion)),
      sealedKey: null,
      keyLast4: null
    }
    if (apiKey === null) return endpoint
    const key = yield* Effect.fromResult(within(SourceRules.apiKey(apiKey)))
    const sealedKey = yield* secrets.seal(key, StudentModel.sealContext(partition, id))
    return { ...endpoint, sealedKey, keyLast4: SourceRules.last4(key) }
  })
})
