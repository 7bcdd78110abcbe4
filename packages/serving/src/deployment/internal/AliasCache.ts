/**
 * What calls know of aliases: a second old at most, and revised at once by every change that this process commits, so that
 * an outage right after a change brings nothing back that the change ended.
 */
import * as Recent from "@limbeck/core/cache/Recent"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Queue } from "@limbeck/core/queue/Queue"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { AliasDeployments, bell, type Deployment } from "../Deployment.ts"

export class AliasCache extends Context.Service<
  AliasCache,
  {
    /** Like `Recent.get`: the result of `lookup`, at most a second old; during an outage of storage the last result. */
    readonly get: <E>(
      partition: Partition,
      alias: string,
      lookup: Effect.Effect<AliasDeployments, E | StorageError>
    ) => Effect.Effect<AliasDeployments, E | StorageError>
    /** To be called after the commit that left the deployment like this. */
    readonly revise: (partition: Partition, deployment: Deployment) => Effect.Effect<void>
  }
>()("@limbeck/serving/deployment/AliasCache") {}

const keyOf = ({ key }: Partition, alias: string): string => `${key} ${alias}`

/** Null where nothing is deployed any more: that is never remembered. */
const reviseAlias = (known: AliasDeployments, deployment: Deployment): AliasDeployments | null => {
  const without = (one: Deployment | null) => (one?.id === deployment.id ? null : one)
  const others: AliasDeployments = { active: without(known.active), shadow: without(known.shadow) }
  const now: AliasDeployments = deployment.status === "ready" ? { ...others, [deployment.mode]: deployment } : others
  return now.active === null && now.shadow === null ? null : now
}

const encode = Schema.encodeSync(AliasDeployments)
const decode = Schema.decodeUnknownOption(AliasDeployments)

const make = Effect.gen(function* () {
  const recent = yield* Recent.make<AliasDeployments>(bell, { name: "deployments", encode, decode })
  return AliasCache.of({
    get: (partition, alias, lookup) => recent.get(keyOf(partition, alias), lookup),
    revise: (partition, deployment) =>
      Effect.sync(() => {
        const changed = keyOf(partition, deployment.alias)
        recent.revise((known, key) => (key === changed ? (reviseAlias(known, deployment) ?? undefined) : known))
      })
  })
})

/** One per process: layers that are given it share it. */
export const layer: Layer.Layer<AliasCache, never, Queue> = Layer.effect(AliasCache, make)
