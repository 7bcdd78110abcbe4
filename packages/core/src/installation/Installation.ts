/**
 * An installation: one storage and all its servers. Its id marks outgoing requests, so that the installation recognises
 * its own requests.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StorageError } from "../errors/Errors.ts"
import * as Id from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import * as Partition from "../partition/Partition.ts"
import * as Kind from "../resources/Kind.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import { Millis } from "../time/Timestamp.ts"

const InstallationId = Id.schema("ins")

const theOne = "installation"

/** `Partition.system` holds a single installation, because the unique name is constant. */
const kind = Kind.make({
  name: "installation",
  schema: Schema.Struct({ id: InstallationId, createdAt: Millis }),
  unique: () => theOne
})

export class Installation extends Context.Service<
  Installation,
  {
    /** The same at every server on a storage, at every start. No secret, and nothing of a workspace. */
    readonly id: typeof InstallationId.Type
  }
>()("@limbeck/core/installation/Installation") {}

/** Makes the id if there is none, once, also when several servers start together. */
export const layer: Layer.Layer<Installation, StorageError, ResourceStore | Ids> = Layer.effect(
  Installation,
  Effect.gen(function* () {
    const resources = yield* ResourceStore
    const ids = yield* Ids
    const known = resources.findUnique(Partition.system, kind, theOne)
    const existing = yield* known
    if (Option.isSome(existing)) return existing.value.value
    const made = { id: yield* ids.make("ins"), createdAt: yield* Clock.currentTimeMillis }
    return yield* resources.insert(Partition.system, kind, made).pipe(
      Effect.as(made),
      Effect.catchTag("AlreadyExists", () => Effect.map(known, (found) => Option.getOrThrow(found).value))
    )
  })
)
