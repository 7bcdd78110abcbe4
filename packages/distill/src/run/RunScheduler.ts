/**
 * The worker that drives runs: claims one under a lease, walks its stages through an executor, and writes every step in a
 * transaction that first checks the lease, so that a worker that lost it can write nothing more.
 */
import { Pools } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DistillLimits } from "../Limits.ts"
import * as StageDriver from "./internal/StageDriver.ts"
import * as Run from "./Run.ts"
import { cancelTopic } from "./Runs.ts"

/** `runOnce` drives due runs, up to the size of the pool, each as far as possible. */
export class RunScheduler extends Context.Service<RunScheduler, LeasedWorker.LeasedWorker>()(
  "@limbeck/distill/run/RunScheduler"
) {}

const make = Effect.gen(function* () {
  const driver = yield* StageDriver.make
  const { heartbeatMillis, leaseMillis, pollMillis } = DistillLimits
  return yield* LeasedWorker.make({
    topic: Run.topic,
    perform: driver.drive,
    pool: Pools.runs,
    leaseMillis,
    heartbeatMillis,
    pollMillis,
    alarmTopic: cancelTopic
  })
})

export const layer = Layer.effect(RunScheduler, make)
