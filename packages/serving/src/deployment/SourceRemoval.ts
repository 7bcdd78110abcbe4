/**
 * Removes sources. A source stays for as long as a deployment names it as its fallback, or has a student that embeds requests by it; a
 * retired deployment has neither.
 */
import type { SourceIsFallback } from "@limbeck/capture/Errors"
import { Sources } from "@limbeck/capture/source/Sources"
import type { ChangedMeanwhile, NotFound, StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { SourceInUse } from "../Errors.ts"
import * as Deployment from "./Deployment.ts"

export class SourceRemoval extends Context.Service<
  SourceRemoval,
  {
    /** Gone at once, also as the default source. */
    readonly remove: (
      partition: Partition,
      id: string
    ) => Effect.Effect<void, NotFound | SourceInUse | SourceIsFallback | ChangedMeanwhile | StorageError>
  }
>()("@limbeck/serving/deployment/SourceRemoval") {}

const unretired = Deployment.DeploymentStatus.literals
  .filter((status) => status !== "retired")
  .map((status) => `status:${status}`)

const refusal = (id: string, { alias, id: deployment }: Deployment.Deployment, use: SourceInUse["use"]) =>
  new SourceInUse({ id, deployment, alias, use })

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const sources = yield* Sources

  const check = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const deployments = yield* resources.findByLabels(partition, Deployment.kind, unretired)
    const holder = deployments.find(({ fallback }) => fallback?.source === id)
    if (holder !== undefined) return yield* refusal(id, holder, "fallback")
    const byStudent = new Map(deployments.map((deployment) => [deployment.studentModel, deployment]))
    for (const [student, deployment] of byStudent) {
      const found = yield* resources.find(partition, StudentModel.kind, student)
      const source = Option.getOrUndefined(found)?.value.embeddings?.source
      if (source === id) return yield* refusal(id, deployment, "embeddings")
    }
  })

  return SourceRemoval.of({
    remove: Effect.fn("SourceRemoval.remove")((partition: Partition, id: string) =>
      sources.remove(partition, id, check(partition, id))
    )
  })
})

export const layer: Layer.Layer<SourceRemoval, never, ResourceStore | Sources> = Layer.effect(SourceRemoval, make)
