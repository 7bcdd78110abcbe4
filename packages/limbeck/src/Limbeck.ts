/** The library for a host that is no Effect program: make it, mount it, publish through it, close it. */

import type { EventDraft } from "@limbeck/core/events/Event"
import * as Events from "@limbeck/core/events/Events"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Bootstrap from "@limbeck/server/Bootstrap"
import * as Mounts from "@limbeck/server/Mounts"
import * as Server from "@limbeck/server/Server"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Assembly from "./Assembly.ts"

export interface LimbeckOptions extends Assembly.AssemblyOptions {
  /** Full-access tokens of the workspace `default`; made at the first start, and told once, unless given. */
  readonly bootstrap?: Partial<Bootstrap.BootstrapOptions>
}

/** An event of the host's own, of a type named in `eventTypes`. */
export interface HostEvent extends EventDraft {
  readonly workspace: string
  readonly livemode: boolean
}

export interface Limbeck {
  /** For node:http, Express and Fastify: mount it before body parsers. */
  readonly node: Mounts.NodeHandler
  /** For hosts that speak Fetch. */
  readonly fetch: Mounts.FetchHandler
  readonly events: {
    /** Stores the event and its deliveries; they are sent after this. Answers the event's id. */
    readonly publish: (event: HostEvent) => Promise<string>
  }
  /** The id of the workspace `default`, made at the first start. */
  readonly workspace: string
  /** Tokens made at this very start; they cannot be read again. */
  readonly bootstrapped: Bootstrap.Bootstrapped
  /** Stops workers, hands their work back, closes the storage. */
  readonly close: () => Promise<void>
}

const decodeWorkspace = Schema.decodeUnknownSync(WorkspaceId)

export const make = async (options: LimbeckOptions): Promise<Limbeck> => {
  const runtime = ManagedRuntime.make(Assembly.layer(options))
  const start = Effect.gen(function* () {
    const bootstrapped = yield* Bootstrap.run({ liveToken: null, testToken: null, ...options.bootstrap })
    const { app } = yield* Server.make
    return { app, bootstrapped, node: yield* Mounts.node(app), events: yield* Events.Events }
  })
  const { app, bootstrapped, events, node } = await runtime.runPromise(
    Effect.provideService(start, Scope.Scope, runtime.scope)
  )
  return {
    node,
    fetch: Mounts.fetch(app),
    workspace: bootstrapped.workspace,
    bootstrapped,
    events: {
      publish: async ({ livemode, object, type, workspace }) => {
        const partition = Partition.make(decodeWorkspace(workspace), livemode)
        const [stored] = await runtime.runPromise(events.publish(partition, [{ type, object }]))
        return stored?.id ?? ""
      }
    },
    close: () => runtime.dispose()
  }
}
