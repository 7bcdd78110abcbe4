/**
 * Verdicts in the guard: a verification that found a difference counts as agreement once a person calls the student's answer right.
 * Other verdicts change nothing there, because the least sure calls are no sample of the answers.
 */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Deployment from "../../deployment/Deployment.ts"
import * as Watch from "../../guard/internal/Watch.ts"

type Change = (counts: Watch.Counts, call: string) => Watch.Counts | undefined

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const resources = yield* ResourceStore

  /** Writes the changed counts of the current period. Returns whether they changed. */
  const write = Effect.fnUntraced(function* (
    partition: Partition,
    deployment: Deployment.Deployment,
    call: string,
    change: Change
  ) {
    const { id, watchedSince: since } = deployment
    if (since === null) return false
    const stored = yield* resources.find(partition, Watch.kind, id)
    const counts = change(Watch.countsOf(deployment, stored), call)
    if (counts === undefined) return false
    const value = { ...counts, id, since, createdAt: yield* Clock.currentTimeMillis }
    if (Option.isSome(stored)) yield* resources.compareAndSet(partition, Watch.kind, { ...stored.value, value })
    else yield* resources.insert(partition, Watch.kind, value)
    return true
  })

  const recount = Effect.fnUntraced(function* (partition: Partition, id: string, call: string, change: Change) {
    const found = yield* resources.find(partition, Deployment.kind, id)
    if (Option.isNone(found)) return false
    const { value: deployment } = found.value
    return yield* Effect.catchTag(
      write(partition, deployment, call, change),
      "AlreadyExists",
      // The guard has counted for the first time meanwhile.
      () => new RevisionConflict({ kind: Watch.kind.name, id, revision: 0 })
    )
  })

  /** Whether the guard compares the student's answer to this call in the current period, and finds a difference. */
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

  return {
    /** Counts the difference of a call as agreement. Returns whether the counts changed. */
    waive: Effect.fnUntraced(function* (partition: Partition, deployment: string, call: string) {
      if (!(yield* isDifference(partition, deployment, call))) return false
      return yield* recount(partition, deployment, call, Watch.waive)
    }),
    restore: (partition: Partition, deployment: string, call: string) =>
      recount(partition, deployment, call, Watch.restore)
  }
})
