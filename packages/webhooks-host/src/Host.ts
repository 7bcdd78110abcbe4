/** The running server of a host without Effect: mounted, published through, and closed. */
import type { EventType } from "@limbeck/core/events/Event"
import { HostEvents } from "@limbeck/core/events/HostEvents"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import type { HostClient } from "@limbeck/core/storage/HostTransaction"
import type { Storage } from "@limbeck/core/storage/Storage"
import type { Tokens } from "@limbeck/core/tokens/Tokens"
import { HostWorkspaces } from "@limbeck/core/workspaces/HostWorkspaces"
import type { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import type { App } from "@limbeck/server/App"
import * as Bootstrap from "@limbeck/server/Bootstrap"
import * as KeyProbe from "@limbeck/server/KeyProbe"
import * as Mounts from "@limbeck/server/Mounts"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as HostedWorkspaces from "./Workspaces.ts"

/** What is of the first start alone. */
export interface HostOptions {
  /** Full-access tokens of the workspace `default`; made at the first start, and told once, unless given. */
  readonly bootstrap?: { readonly [Name in keyof Bootstrap.BootstrapOptions]?: string | null | undefined }
}

/** What a type's schema takes; any object without a schema. */
type ObjectOf<Type extends EventType> = Type extends {
  readonly schema: { readonly "~standard": { readonly types?: infer Types } }
}
  ? NonNullable<Types> extends { readonly input: infer Input extends object }
    ? Input
    : object
  : object

/** Where an event belongs. */
interface EventPlace {
  /** The id of a workspace; that of the workspace `default` when absent. */ readonly workspace?: string
  /** True by default. Endpoints of the other mode never receive the event. */
  readonly livemode?: boolean
}

/** An event of the host's own, of a type named in `eventTypes`. */
export type HostEvent<Types extends EventType = EventType> = Types extends EventType
  ? EventPlace & {
      /** One of `eventTypes`. */
      readonly type: Types["type"]
      /** The resource's current state, as JSON will write it; matches the type's `schema`, if any. */
      readonly object: ObjectOf<Types>
    }
  : never

/** How events are published. */
export interface PublishOptions {
  /**
   * The host's own node-postgres client, on which it has sent BEGIN: event and deliveries commit with the host's rows, or
   * none of them do. Wait for the answer before you use the client again. For storage on the same Postgres database.
   */
  readonly transaction?: HostClient
}

/**
 * Stores events and their deliveries, all or none, and returns their ids; they are sent after the commit. Rejects with
 * `UnknownEventType` or `InvalidEventObject` before storing anything; with `HostTransactionError` if the host's transaction
 * refuses the write, and leaves that transaction unchanged; with `StorageError` if storage failed; with a `SchemaError` for
 * a malformed `workspace` id.
 */
export interface Publish<Types extends EventType = EventType> {
  (event: HostEvent<Types>, options?: PublishOptions): Promise<string>
  (events: ReadonlyArray<HostEvent<Types>>, options?: PublishOptions): Promise<ReadonlyArray<string>>
}

/** A running server in the process of its host. `Types`: the host's own event types. */
export interface Host<Types extends EventType = EventType> {
  /** For node:http, Express and Fastify: mount it before body parsers. */
  readonly node: Mounts.NodeHandler
  /** For hosts that speak Fetch. */
  readonly fetch: Mounts.FetchHandler
  /** Events of the host's own types. */
  readonly events: { readonly publish: Publish<Types> }
  /** All workspaces: those of the host's own customers too. */
  readonly workspaces: HostedWorkspaces.Workspaces
  /** The id of the workspace `default`, made at the first start. */
  readonly workspace: string
  /** Tokens made at this very start; they cannot be read again. */
  readonly bootstrapped: Bootstrap.BootstrapResult
  /** Stops workers, hands their work back, closes the storage. Stop handing requests on before. */
  readonly close: () => Promise<void>
}

type Services = Storage | ResourceStore | Secrets | Workspaces | HostWorkspaces | Tokens | HostEvents

const decodeWorkspace = Schema.decodeUnknownSync(WorkspaceId)

/** A host that runs, and a way to ask the services of its assembly. */
export interface OpenHost<R> {
  readonly host: Host
  /** Rejects with the failure of `effect`; nothing is asked after the close. */
  readonly perform: <A, E>(effect: Effect.Effect<A, E, R | Services>) => Promise<A>
}

/** Starts `assembly`, and the server that `app` builds on it. */
export const open = async <R, E, A>(
  assembly: Layer.Layer<R | Services, E>,
  app: Effect.Effect<{ readonly app: App<A> }, never, NoInfer<R> | Services>,
  { bootstrap: { liveToken = null, testToken = null } = {} }: HostOptions
): Promise<OpenHost<R>> => {
  const runtime = ManagedRuntime.make(assembly)
  const start = Effect.gen(function* () {
    yield* KeyProbe.check
    const bootstrapped = yield* Bootstrap.run({ liveToken, testToken })
    const made = yield* app
    return {
      app: made.app,
      bootstrapped,
      node: yield* Mounts.node(made.app),
      events: yield* HostEvents,
      workspaces: yield* HostWorkspaces
    }
  })
  const started = await runtime
    .runPromise(Effect.provideService(start, Scope.Scope, runtime.scope))
    .catch((error) => runtime.dispose().then(() => Promise.reject(error)))
  const { bootstrapped, events, node } = started
  const { workspace } = bootstrapped

  const draftOf = (event: HostEvent) => {
    const partition = Partition.make(decodeWorkspace(event.workspace ?? workspace), event.livemode ?? true)
    return { partition, type: event.type, object: event.object }
  }
  let closed = false
  const perform: OpenHost<R>["perform"] = async (effect) => {
    if (closed) throw new Error("Nothing can be done any more: this was closed")
    return runtime.runPromise(effect)
  }
  const publishAll = async (all: ReadonlyArray<HostEvent>, { transaction }: PublishOptions = {}) => {
    const stored = await perform(events.publish(all.map(draftOf), transaction))
    return stored.map(({ id }) => id)
  }
  async function publish(event: HostEvent, options?: PublishOptions): Promise<string>
  async function publish(events: ReadonlyArray<HostEvent>, options?: PublishOptions): Promise<ReadonlyArray<string>>
  async function publish(
    given: HostEvent | ReadonlyArray<HostEvent>,
    options?: PublishOptions
  ): Promise<string | ReadonlyArray<string>> {
    if (isMany(given)) return publishAll(given, options)
    // One event is stored as one.
    return (await publishAll([given], options))[0]!
  }

  const host: Host = {
    node,
    fetch: Mounts.fetch(started.app),
    workspace,
    bootstrapped,
    events: { publish },
    workspaces: HostedWorkspaces.make(started.workspaces, perform),
    close: () => {
      closed = true
      return runtime.dispose()
    }
  }
  return { host, perform }
}

/** `Array.isArray` does not know read-only arrays. */
const isMany = (given: HostEvent | ReadonlyArray<HostEvent>): given is ReadonlyArray<HostEvent> => Array.isArray(given)
