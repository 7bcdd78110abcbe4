/** What a deployment's calls and comparisons come to, as its own GET and its events show it. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as AgreementRules from "../../guard/AgreementRules.ts"
import type { Deployment } from "../Deployment.ts"
import type { Account } from "../DeploymentResource.ts"

export const make = Effect.map(CallStore, (calls) =>
  Effect.fnUntraced(function* (partition: Partition, { id, mode, studentSince }: Deployment) {
    const account: Account = {
      figures: yield* calls.figures(partition, id),
      comparisons:
        mode === "shadow"
          ? AgreementRules.of(yield* calls.comparisons(partition, id, studentSince))
          : AgreementRules.none
    }
    return account
  })
)
