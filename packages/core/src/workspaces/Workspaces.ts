/** Workspaces: created, read, listed and changed. Callers check permissions before. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Recent from "../cache/Recent.ts"
import type { ChangedMeanwhile, InvalidInput, NotFound, StorageError } from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import type { PersonId } from "../people/Person.ts"
import { Queue } from "../queue/Queue.ts"
import { ResourceStore, type RevisionConflict } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import * as Writers from "../resources/Writers.ts"
import { Storage } from "../storage/Storage.ts"
import * as Workspace from "./internal/Workspace.ts"
import * as Rules from "./internal/WorkspaceRules.ts"

/** The key of the workspace that the first start makes. */
export const firstKey = "default"

export interface NewWorkspace {
  readonly name: string
  readonly plan: string
  /** The person who makes it; absent: the operator or a host. */
  readonly createdBy?: PersonId | undefined
}

/** Absent fields stay as they are. */
export interface WorkspacePatch {
  readonly name?: string | undefined
  readonly plan?: string | undefined
}

export class Workspaces extends Context.Service<
  Workspaces,
  {
    readonly get: (id: WorkspaceId) => Effect.Effect<Workspace.Workspace, NotFound | StorageError>
    /** The existing workspaces among `ids`, in id order. */
    readonly getMany: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Workspace.Workspace>, StorageError>
    /** At most a second old, including this process's changes; during an outage of storage, the last known state. */
    readonly recent: (id: WorkspaceId) => Effect.Effect<Workspace.Workspace, NotFound | StorageError>
    /** Whether it is the first start's workspace: its people and tokens are the operator's. */
    readonly isFirst: (id: WorkspaceId) => Effect.Effect<boolean, NotFound | StorageError>
    /** A new one at every call; the name may be that of another. */
    readonly create: (request: NewWorkspace) => Effect.Effect<Workspace.Workspace, InvalidInput | StorageError>
    readonly countMadeBy: (person: string) => Effect.Effect<number, StorageError>
    /**
     * The workspace with this key; created, with the key as its name, if missing: once, even if several servers start
     * together.
     */
    readonly ensure: (
      key: string,
      plan: string
    ) => Effect.Effect<{ readonly workspace: Workspace.Workspace; readonly created: boolean }, StorageError>
    readonly update: (
      id: WorkspaceId,
      patch: WorkspacePatch
    ) => Effect.Effect<Workspace.Workspace, InvalidInput | NotFound | ChangedMeanwhile | StorageError>
    /**
     * In a transaction: of two concurrent calls the second waits, fails with RevisionConflict, and is repeated
     * (`Writers.hold`).
     */
    readonly hold: (id: WorkspaceId) => Effect.Effect<boolean, RevisionConflict | StorageError>
    /** All of the installation, newest first. For the operator: no token sees another workspace than its own. */
    readonly page: (request: PageRequest) => Effect.Effect<Page<Workspace.Workspace>, StorageError>
  }
>()("@limbeck/core/workspaces/Workspaces") {}

const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const storage = yield* Storage
  const queue = yield* Queue
  const known = yield* Recent.make<Workspace.Workspace>(Workspace.bell)

  const fresh = Effect.fnUntraced(function* ({ createdBy, name, plan }: NewWorkspace, key: string | null) {
    const now = yield* Clock.currentTimeMillis
    const id = yield* ids.make("ws")
    const by = createdBy === undefined ? {} : { createdBy }
    const workspace: Workspace.Workspace = { id, name, key, plan, createdAt: now, updatedAt: now, ...by }
    return workspace
  })

  const create = Effect.fn("Workspaces.create")(function* (request: NewWorkspace) {
    const name = yield* Effect.fromResult(Rules.name(request.name))
    const plan = yield* Effect.fromResult(Rules.plan(request.plan))
    const workspace = yield* fresh({ name, plan, createdBy: request.createdBy }, null)
    yield* resources.add(Partition.system, Workspace.kind, workspace)
    return workspace
  })

  const keyed = (key: string) => resources.findUnique(Partition.system, Workspace.kind, key)

  const ensure = Effect.fn("Workspaces.ensure")(function* (key: string, plan: string) {
    const existing = yield* keyed(key)
    if (Option.isSome(existing)) return { workspace: existing.value.value, created: false }
    const workspace = yield* fresh({ name: key, plan }, key)
    return yield* resources.insert(Partition.system, Workspace.kind, workspace).pipe(
      Effect.as({ workspace, created: true }),
      Effect.catchTag("AlreadyExists", () =>
        Effect.map(keyed(key), (found) => ({ workspace: Option.getOrThrow(found).value, created: false }))
      )
    )
  })

  const update = Effect.fn("Workspaces.update")(function* (id: WorkspaceId, patch: WorkspacePatch) {
    const { revision, value } = yield* Resources.require(resources, Partition.system, Workspace.kind, id)
    const changed: Workspace.Workspace = {
      ...value,
      // Kept, however the name changes.
      key: Workspace.keyOf(value),
      name: patch.name === undefined ? value.name : yield* Effect.fromResult(Rules.name(patch.name)),
      plan: patch.plan === undefined ? value.plan : yield* Effect.fromResult(Rules.plan(patch.plan)),
      updatedAt: yield* Clock.currentTimeMillis
    }
    yield* resources.compareAndSet(Partition.system, Workspace.kind, { revision, value: changed })
    yield* queue.nudge(Workspace.bell)
    const revise = () => known.revise((workspace) => (workspace.id === id ? changed : workspace))
    yield* storage.afterCommit(Effect.sync(revise))
    return changed
  })

  const get = (id: WorkspaceId) => Resources.requireValue(resources, Partition.system, Workspace.kind, id)
  const recent = (id: WorkspaceId) => known.get(id, get(id))

  return Workspaces.of({
    create,
    ensure,
    get,
    recent,
    isFirst: (id) => Effect.map(recent(id), (workspace) => Workspace.keyOf(workspace) === firstKey),
    countMadeBy: (person) =>
      Effect.map(
        resources.findByLabels(Partition.system, Workspace.kind, [Workspace.labelOfMaker(person)]),
        ({ length }) => length
      ),
    getMany: (ids) =>
      Effect.map(resources.findMany(Partition.system, Workspace.kind, ids), (all) =>
        all.map(({ value }) => value).toSorted((a, b) => (a.id < b.id ? -1 : 1))
      ),
    hold: (id) => Writers.hold(resources, Partition.system, Workspace.kind, id),
    update: (id, patch) => Writers.inTurn(Workspace.kind, id)(update(id, patch)),
    page: (request) => resources.page(Partition.system, Workspace.kind, [], request)
  })
})

export const layer: Layer.Layer<Workspaces, never, ResourceStore | Ids | Storage | Queue> = Layer.effect(
  Workspaces,
  make
)
