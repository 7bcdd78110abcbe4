/** Workspaces as the server needs them: the first one, and reads. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { NotFound, StorageError } from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import * as Partition from "../partition/Partition.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import * as Workspace from "./internal/Workspace.ts"

export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly get: (id: WorkspaceId) => Effect.Effect<Workspace.Workspace, NotFound | StorageError>
    /** The workspace of this name; made if there is none, once, also when several servers start together. */
    readonly ensure: (
      name: string,
      plan: string
    ) => Effect.Effect<{ readonly workspace: Workspace.Workspace; readonly created: boolean }, StorageError>
  }
>()("@limbeck/core/workspaces/Workspaces") {}

export const layer: Layer.Layer<Workspaces, never, ResourceStore | Ids> = Layer.effect(
  Workspaces,
  Effect.gen(function* () {
    const resources = yield* ResourceStore
    const ids = yield* Ids

    const named = (name: string) => resources.findUnique(Partition.system, Workspace.kind, name)

    const ensure = Effect.fn("Workspaces.ensure")(function* (name: string, plan: string) {
      const existing = yield* named(name)
      if (Option.isSome(existing)) return { workspace: existing.value.value, created: false }
      const workspace = { id: yield* ids.make("ws"), name, plan, createdAt: yield* Clock.currentTimeMillis }
      return yield* resources.insert(Partition.system, Workspace.kind, workspace).pipe(
        Effect.as({ workspace, created: true }),
        Effect.catchTag("AlreadyExists", () =>
          Effect.map(named(name), (found) => ({ workspace: Option.getOrThrow(found).value, created: false }))
        )
      )
    })

    const get = Effect.fn("Workspaces.get")((id: WorkspaceId) =>
      Resources.requireValue(resources, Partition.system, Workspace.kind, id)
    )

    return Workspaces.of({ ensure, get })
  })
)
