/**
 * Verdicts in the guard: a verification that found a difference counts as agreement once a person calls the student's answer right.
 * Other verdicts change nothing there, because the least sure calls are no sample of the answers.
 */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deployment from "../../deployment/Deployment.ts"
import * as AgreementRules from "../../guard/AgreementRules.ts"
import * as Watch from "../../guard/internal/Watch.ts"

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const resources = yield* ResourceStore

  /** Whether the guard has compared the student's answer to this call, in the current period, and found a difference. */
  const isDifference = Effect.fnUntraced(function* (partition: Partition, deployment: string, call: string) {
    const found = yield* resources.find(partition, Deployment.kind, deployment)
    const since = Option.isSome(found) ? found.value.value.watchedSince : null
    if (since === null) return false
    const results = yield* calls.shadowsOf(partition, call)
    return results.some(
      (result) =>
        result.verifies && result.agrees === false && result.deployment === deployment && result.createdAt >= since
    )
  })

  /** Counts a difference as agreement, or one such agreement as difference again; answers whether there was one. */
  const recount = (partition: Partition, deployment: string, asAgreement: boolean) =>
    Writers.inTurn(
      Watch.kind,
      deployment
    )(
      Effect.gen(function* () {
        const stored = Option.getOrUndefined(yield* resources.find(partition, Watch.kind, deployment))
        const comparisons =
          stored === undefined ? undefined : AgreementRules.recount(stored.value.comparisons, asAgreement)
        if (stored === undefined || comparisons === undefined) return false
        yield* resources.compareAndSet(partition, Watch.kind, { ...stored, value: { ...stored.value, comparisons } })
        return true
      })
    )

  return { isDifference, recount }
})
