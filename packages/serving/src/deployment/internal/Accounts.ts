/** The figures of a deployment's calls and comparisons, for its own GET and its events. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as AgreementRules from "../../guard/AgreementRules.ts"
import * as DriftRules from "../../guard/DriftRules.ts"
import * as DriftReview from "../../guard/internal/DriftReview.ts"
import * as DriftWindows from "../../guard/internal/DriftWindows.ts"
import * as Watch from "../../guard/internal/Watch.ts"
import { type Deployment, driftSince } from "../Deployment.ts"
import type { Account } from "../DeploymentResource.ts"

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const resources = yield* ResourceStore
  const windowsOf = yield* DriftWindows.make

  const knownOf = Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
    const { id, mode, studentSince } = deployment
    if (mode === "shadow") {
      const comparisons = AgreementRules.of(yield* calls.comparisons(partition, id, studentSince, 0))
      return { comparisons, questions: [], samples: DriftRules.none }
    }
    return Watch.countsOf(deployment, yield* resources.find(partition, Watch.kind, id))
  })

  const countOf = (partition: Partition, deployment: Deployment) =>
    deployment.mode === "shadow"
      ? Effect.succeed(0)
      : calls.servedCount(partition, deployment.id, driftSince(deployment))

  return Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
    const { comparisons, questions, samples } = yield* knownOf(partition, deployment)
    const figures = yield* calls.figures(partition, deployment.id)
    const driftCalls = yield* countOf(partition, deployment)
    const windows = yield* windowsOf(partition, deployment)
    const review = yield* resources.find(partition, DriftReview.kind, deployment.id)
    const answers = DriftReview.answersOf(deployment, review, windows)
    const account: Account = { figures, comparisons, questions, samples, driftCalls, windows, answers }
    return account
  })
})
