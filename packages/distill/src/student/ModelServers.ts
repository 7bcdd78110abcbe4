/** What serves the artifacts of language models on this machine, each by a process of its own (contract 15.18). */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Artifact } from "./Artifact.ts"

/** A server that answers chat completions, on this machine and to this machine alone. */
export interface ModelServer {
  /** With `/v1`. */
  readonly baseUrl: string
  /** The process's own access key, sent to no other. */
  readonly credentials: Readonly<Record<string, string>>
}

/** The server did not become ready. `message` is for people, and contains no path. */
export class ModelServerFailed extends Data.TaggedError("ModelServerFailed")<{ readonly message: string }> {}

export interface HeldServer {
  /** Null while it is starting or restarting. */
  readonly now: () => ModelServer | null
  /** Waits until the server is ready; fails after the last restart has failed. */
  readonly ready: Effect.Effect<ModelServer, ModelServerFailed>
  /** Whether it never answered, and is not tried any more. */
  readonly isGivenUp: () => boolean
}

export interface Servable {
  /** The model name in requests. */
  readonly id: string
  /** The base model. */
  readonly base: string
  readonly artifact: Artifact
}

export class ModelServers extends Context.Service<
  ModelServers,
  {
    /** False: this host serves none. */
    readonly isSetUp: boolean
    /** Starts a server, and restarts it whenever it exits, until the last holder's scope closes. */
    readonly hold: (partition: Partition, student: Servable) => Effect.Effect<HeldServer, never, Scope.Scope>
    /** Removes the files of unwanted students that no process on this machine holds. */
    readonly sweep: (
      isWanted: (partition: Partition, student: string) => Effect.Effect<boolean, StorageError>
    ) => Effect.Effect<void, StorageError>
  }
>()("@limbeck/distill/student/ModelServers") {}

const notSetUp = new ModelServerFailed({ message: "this server serves no language models: SERVING_COMMAND is not set" })

/** For a host without a command. */
export const none = Layer.succeed(ModelServers, {
  isSetUp: false,
  hold: () => Effect.succeed({ now: () => null, ready: Effect.fail(notSetUp), isGivenUp: () => true }),
  sweep: () => Effect.void
})
