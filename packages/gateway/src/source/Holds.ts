/** A source stays for as long as a deployment names it; one that is retired names nobody any more. */
import { conflict } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Writers from "@limbeck/core/resources/Writers"
import * as Effect from "effect/Effect"
import * as Deployment from "../deployment/Deployment.ts"
import * as Source from "./Source.ts"

const unretired = Deployment.DeploymentStatus.literals.filter((status) => status !== "retired")

const refusal = (id: string, { alias, id: deployment }: Deployment.Deployment) =>
  conflict(
    `Source ${id} is the fallback of deployment ${deployment}, under the alias ${alias}: change its fallback, or retire it`
  )

/** To be used inside a transaction. */
export const make = (resources: ResourceStore["Service"]) => {
  const hold = (partition: Partition, id: string) => Writers.hold(resources, partition, Source.kind, id)

  /** For who removes it: false where there is none. Nobody names it until the transaction has ended. */
  const release = Effect.fnUntraced(function* (partition: Partition, id: string) {
    if (!(yield* hold(partition, id))) return false
    const labels = unretired.map((status) => `status:${status}`)
    const deployments = yield* resources.labelled(partition, Deployment.kind, labels)
    const holder = deployments.find(({ fallback }) => fallback?.source === id)
    return holder === undefined ? true : yield* refusal(id, holder)
  })

  return { hold, release }
}
