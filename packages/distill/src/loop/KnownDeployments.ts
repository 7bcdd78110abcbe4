/** What a loop's students are deployed as, as loops see it. Deployments are not distill's: who assembles provides it. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { LatestOne } from "./Loops.ts"

export class KnownDeployments extends Context.Service<
  KnownDeployments,
  {
    /** The newest of the loop, whatever has become of it; null: none. */
    readonly latest: (partition: Partition, loop: string) => Effect.Effect<LatestOne | null, StorageError>
  }
>()("@limbeck/distill/loop/KnownDeployments") {}
