/** The figures of a deployment's calls and comparisons, for its own GET and its events. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as AgreementRules from "../../guard/AgreementRules.ts"
import * as CallDriftRules from "../../guard/CallDriftRules.ts"
import * as DriftRules from "../../guard/DriftRules.ts"
import * as Watch from "../../guard/internal/Watch.ts"
import { type Deployment, driftSince } from "../Deployment.ts"
import type { Account } from "../DeploymentResource.ts"

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const resources = yield* ResourceStore

  const knownOf = Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
    const { id, mode, studentSince } = deployment
    if (mode === "shadow") {
      const comparisons = AgreementRules.of(yield* calls.comparisons(partition, id, studentSince, 0))
      return { comparisons, samples: DriftRules.none }
    }
    return Watch.knownOf(deployment, yield* resources.find(partition, Watch.kind, id))
  })

  /** The first window of calls and the last one, without a common call. */
  const windowsOf = Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
    const { id, mode } = deployment
    if (mode === "shadow") return CallDriftRules.none
    const limit = CallDriftRules.windowCalls
    const since = driftSince(deployment)
    const before = yield* calls.servedCalls(partition, id, since, { order: "oldest", limit })
    const last = before.at(-1)?.id
    if (last === undefined || before.length < limit) return { before, now: [] }
    const latest = yield* calls.servedCalls(partition, id, since, { order: "newest", limit })
    return { before, now: latest.filter((call) => call.id > last).toReversed() }
  })

  return Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
    const { comparisons, samples } = yield* knownOf(partition, deployment)
    const figures = yield* calls.figures(partition, deployment.id)
    const account: Account = { figures, comparisons, samples, windows: yield* windowsOf(partition, deployment) }
    return account
  })
})
