/** Generates ids. Ids of one process sort by creation order, also within a millisecond. */

import * as Context from "effect/Context"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Id from "./Id.ts"

export class Ids extends Context.Service<
  Ids,
  {
    readonly make: <const Prefix extends string>(prefix: Prefix) => Effect.Effect<Id.Id<Prefix>>
  }
>()("@limbeck/core/ids/Ids") {}

/** Ids from the clock and the random source of the surroundings. */
export const layer: Layer.Layer<Ids, never, SecureRandom> = Layer.effect(
  Ids,
  Effect.map(SecureRandom, (random) => {
    const uuid = random.uuidV7({ format: "bytes" })
    return Ids.of({ make: (prefix) => Effect.map(uuid, (bytes) => Id.fromBytes(prefix, bytes)) })
  })
)
