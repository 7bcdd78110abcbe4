/** The trainer of TRAINER_COMMAND, here or on a Ray cluster, and its files. */
import path from "node:path"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Run from "@limbeck/distill/run/Run"
import * as ProcessExecutor from "@limbeck/executors/process/ProcessExecutor"
import * as Reaper from "@limbeck/executors/process/Reaper"
import * as RayCluster from "@limbeck/executors/ray/RayCluster"
import * as RayExecutor from "@limbeck/executors/ray/RayExecutor"
import * as RayReaper from "@limbeck/executors/ray/RayReaper"
import * as RayResources from "@limbeck/executors/ray/RayResources"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { childVariables, operatorVariables } from "./Environment.ts"
import { urlOf } from "./Listener.ts"
import type { RaySettings, Settings } from "./Settings.ts"
import { modelsOf } from "./StudentServers.ts"

const folderOf = ({ dataDir }: Settings): string => path.resolve(dataDir, "trainers")

/** The address at which local programs reach a server that listens on all addresses. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0") return "127.0.0.1"
  return host === "::" ? "::1" : host
}

/** The message is one line for the operator. */
class RayUnusable extends Data.TaggedError("RayUnusable")<{ readonly message: string }> {}

/** The trainer on this machine gets no secret of our environment, unless TRAINER_ENV names it. */
const here = (settings: Settings, command: string, port: number) =>
  ProcessExecutor.make({
    folder: folderOf(settings),
    server: () => urlOf(reachable(settings.host), port),
    command,
    environment: { ...childVariables(process.env, settings.trainerEnv), ...modelsOf(settings) }
  })

/** The cluster's machines have an environment of their own: a job gets what TRAINER_ENV names, and nothing else. */
const onCluster = Effect.fnUntraced(function* (
  { address, sharedDir }: RaySettings,
  { host, publicUrl, trainerEnv }: Settings,
  command: string,
  port: number,
  catalog: Assembly.AssemblyOptions["catalog"]
) {
  yield* Effect.mapError(
    RayCluster.version(address),
    (reason) => new RayUnusable({ message: `RAY_ADDRESS: ${address}: no Ray cluster answers there (${reason})` })
  )
  const { profiles } = yield* Assembly.catalogOf(catalog ?? {})
  return RayExecutor.make({
    address,
    folder: sharedDir,
    server: () => publicUrl ?? urlOf(reachable(host), port),
    command,
    environment: operatorVariables(process.env, trainerEnv),
    resourcesOf: RayResources.of(profiles)
  })
})

/** Who trains language models. Fails when a cluster is named that does not answer. `port`: where this server listens. */
export const executor = (
  settings: Settings,
  command: string,
  port: number,
  catalog: Assembly.AssemblyOptions["catalog"]
) =>
  settings.ray === null
    ? Effect.succeed(here(settings, command, port))
    : onCluster(settings.ray, settings, command, port, catalog)

/** Never ends. Stops the trainers that a dead server left behind, by what the runs in storage say, and removes their files. */
export const reap = (settings: Settings): Effect.Effect<never, never, ResourceStore> =>
  Effect.gen(function* () {
    const resources = yield* ResourceStore
    const find = (partition: string, id: string) =>
      Effect.map(
        resources.find(Partition.fromKey(partition), Run.kind, id),
        Option.match({ onNone: () => null, onSome: ({ value }) => value })
      )
    const { ray } = settings
    const reaper =
      ray === null
        ? Reaper.make({ folder: folderOf(settings), find })
        : RayReaper.make({ address: ray.address, folder: ray.sharedDir, find })
    return yield* reaper.forever
  })
