/**
 * Serves students by a command of the operator's (`SERVING_COMMAND`), on this machine alone: each by a process of its own, or,
 * where the command takes a `{base}`, adapters by one process for each base model.
 */
import type { Blobs } from "@limbeck/core/blobs/Blobs"
import { OwnPorts } from "@limbeck/core/egress/OwnPorts"
import type { Partition } from "@limbeck/core/partition/Partition"
import { type HeldServer, ModelServerFailed, ModelServers, type Servable } from "@limbeck/distill/student/ModelServers"
import type { Gunzip } from "@limbeck/distill/upload/Gunzip"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { format } from "effect/Formatter"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import type * as Scope from "effect/Scope"
import * as Adapters from "./internal/Adapters.ts"
import * as BaseModels from "./internal/BaseModels.ts"
import * as CommandLine from "./internal/CommandLine.ts"
import * as GivenUp from "./internal/GivenUp.ts"
import * as HeldProcess from "./internal/HeldProcess.ts"
import * as ServedArtifact from "./internal/ServedArtifact.ts"
import * as ServedFolder from "./internal/ServedFolder.ts"
import * as ServedPorts from "./internal/ServedPorts.ts"

/** The command and its environment, and where artifacts are unpacked. */
export interface CommandServersOptions {
  /** Words as `llama-server -m {artifact} --port {port}`; see docs/deployments.md. */
  readonly command: string
  /** Its whole environment, except variables about the student. No secrets. */
  readonly environment: Readonly<Record<string, string>>
  /** Of this machine; several servers may share it. */
  readonly folder: string
  /** Folders of base models, by their names: those that adapters need. */
  readonly modelsDir?: string
}

const failed = (message: string) => new ModelServerFailed({ message })

/** A server being started, as if already running. */
const beginServer = Effect.fnUntraced(function* (
  student: Servable,
  begin: Effect.Effect<HeldServer, ModelServerFailed, Scope.Scope>
) {
  const begun = yield* Deferred.make<HeldServer, ModelServerFailed>()
  let held: HeldServer | null = null
  yield* begin.pipe(
    Effect.flatMap((server) => {
      held = server
      return Deferred.succeed(begun, server)
    }),
    // A disk that is full, for example: the next that asks tries anew.
    Effect.catchDefect((defect) => failed(`it cannot be started: ${format(defect)}`)),
    Effect.catchTag("ModelServerFailed", GivenUp.tell(student.id, begun)),
    Effect.forkScoped
  )
  const server: HeldServer = {
    now: () => held?.now() ?? null,
    ready: Effect.flatMap(Deferred.await(begun), ({ ready }) => ready),
    isGivenUp: () => (held === null ? Deferred.isDoneUnsafe(begun) : held.isGivenUp())
  }
  return server
})

const make = Effect.fnUntraced(function* (options: CommandServersOptions) {
  const { command, environment, folder, modelsDir = null } = options
  const fetched = yield* ServedArtifact.make
  const ports = yield* OwnPorts
  ports.register((port) => (ServedPorts.isServed(folder, port) ? "program" : undefined))
  const program = { command, environment, folder }
  const wanted = new Map<string, readonly [Partition, Servable]>()

  /** By the folder of the model, and its name. */
  const bases = yield* RcMap.make({
    lookup: (key: string) => {
      const [artifact = "", model = ""] = key.split("\n")
      return HeldProcess.hold({ ...program, name: `base-${model.replaceAll("/", "-")}`, model, artifact })
    }
  })

  const begin = Effect.fnUntraced(function* (partition: Partition, student: Servable) {
    const { base, id } = student
    const place = yield* ServedFolder.useFolder(folder, partition, id)
    const artifact = yield* fetched(partition, student, place)
    const isShared = CommandLine.takesBase(command) && (yield* Effect.promise(() => BaseModels.isAdapter(artifact)))
    if (!isShared) return yield* HeldProcess.hold({ ...program, name: id, model: id, artifact })
    const found = yield* BaseModels.locate(modelsDir, base)
    return yield* Adapters.hold(yield* RcMap.get(bases, `${found}\n${base}`), id, artifact)
  })

  const students = yield* RcMap.make({
    lookup: (key: string) => {
      const found = wanted.get(key)
      // Written just before the look-up.
      if (found === undefined) return Effect.die(key)
      const [partition, student] = found
      return beginServer(student, begin(partition, student))
    }
  })

  return ModelServers.of({
    isSetUp: true,
    hold: (partition, student) => {
      const key = `${partition.key} ${student.id}`
      wanted.set(key, [partition, student])
      return RcMap.get(students, key)
    },
    sweep: (isWanted) =>
      Effect.andThen(
        Effect.promise(() => ServedPorts.sweep(folder)),
        ServedFolder.sweep(folder, isWanted)
      )
  })
})

/**
 * The servers of a command. They end with the layer, and with the process however it ends. Each wants a secret of its own, and
 * no tenant's request reaches their ports.
 */
export const layer = (options: CommandServersOptions): Layer.Layer<ModelServers, never, Blobs | Gunzip | OwnPorts> =>
  Layer.effect(ModelServers, make(options))
