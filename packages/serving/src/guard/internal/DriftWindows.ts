/** Reads the calls of a deployment whose difference is its drift. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import { type Deployment, driftSince } from "../../deployment/Deployment.ts"
import * as CallDriftRules from "../CallDriftRules.ts"

/** The first window of calls and the last one, without a common call. In shadow both are empty. */
export const make = Effect.map(CallStore, (calls) =>
  Effect.fnUntraced(function* (partition: Partition, deployment: Deployment) {
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
)
