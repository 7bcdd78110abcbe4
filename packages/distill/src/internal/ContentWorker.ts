/** The workers that read content: an item per slot, begun anew elsewhere when a worker is lost. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Pool } from "@limbeck/core/pools/Pools"
import * as LeasedWorker from "@limbeck/core/queue/LeasedWorker"
import type { LeaseLost, Work } from "@limbeck/core/queue/Queue"
import type * as Effect from "effect/Effect"
import { DistillLimits } from "../Limits.ts"

export const make = (
  topic: string,
  pool: Pool,
  perform: (work: Work) => Effect.Effect<void, LeaseLost | StorageError>
) =>
  LeasedWorker.make({
    topic,
    perform,
    pool,
    leaseMillis: DistillLimits.leaseMillis,
    heartbeatMillis: DistillLimits.heartbeatMillis,
    pollMillis: DistillLimits.pollMillis
  })
