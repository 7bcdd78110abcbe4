/** The keys of a new queue's entries: what tells a person most comes first. */
import { type CallFilter, CallStore } from "@limbeck/capture/call/CallStore"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { RowStore } from "@limbeck/distill/dataset/RowStore"
import * as SuspectList from "@limbeck/distill/suspects/SuspectList"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ServingLimits } from "../../Limits.ts"
import type { ReviewQueue } from "../ReviewQueue.ts"

/** The least sure first. */
const bySureness = (one: { readonly confidence: number | null }, other: { readonly confidence: number | null }) =>
  (one.confidence ?? 1) - (other.confidence ?? 1)

export const make = Effect.gen(function* () {
  const calls = yield* CallStore
  const rows = yield* RowStore
  const resources = yield* ResourceStore

  /** Calls with different answers from student and verifying upstream. */
  const contested = Effect.fnUntraced(function* (partition: Partition, deployment: string) {
    const filter: CallFilter = { verifies: true, outcome: "succeeded" }
    const found = yield* calls.page(partition, filter, firstPage(ServingLimits.reviewVerificationsMax))
    const verified = found.items.flatMap(({ verifies }) =>
      verifies?.deployment === deployment && verifies.call !== null ? [verifies.call] : []
    )
    const results = yield* Effect.forEach(verified, (id) => calls.shadowsOf(partition, id), {
      concurrency: ServingLimits.reviewReadsAtOnce
    })
    return verified.filter((_, at) => results[at]?.some(({ agrees, verifies }) => verifies && agrees === false))
  })

  const unsure = Effect.fnUntraced(function* (partition: Partition, deployment: string) {
    const options = { order: "newest", limit: ServingLimits.reviewCallsMax } as const
    const served = yield* calls.servedCalls(partition, deployment, 0, options)
    const known = served.filter(({ confidence }) => confidence !== null)
    return known.toSorted(bySureness).map(({ id }) => id)
  })

  return Effect.fnUntraced(function* (
    partition: Partition,
    { deployment, of, version }: Pick<ReviewQueue, "deployment" | "of" | "version">,
    limit: number
  ) {
    if (deployment !== null) {
      const found = [...(yield* contested(partition, deployment)), ...(yield* unsure(partition, deployment))]
      return [...new Set<string>(found)].slice(0, limit)
    }
    if (version === null) return []
    if (of === "holdout") {
      // Keys are digests of rows: the first are a random sample.
      const page = yield* rows.page(partition, version, { split: "holdout", after: null, limit })
      return page.items.map(({ key }) => key)
    }
    const list = yield* resources.find(partition, SuspectList.kind, version)
    if (Option.isNone(list)) return []
    const { items } = yield* rows.page(partition, SuspectList.rowsOf(list.value.value), {
      split: null,
      after: null,
      limit
    })
    return items.map(({ key }) => key)
  })
})
