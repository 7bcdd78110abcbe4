/** One process of `limbeck serve --processes N`: what its parent passes to it, and the messages between the two. */
import * as os from "node:os"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Environment } from "../Environment.ts"
import { Limits } from "../Limits.ts"
import type { Settings } from "../Settings.ts"

const WorkerProcess = Schema.Struct({
  /** Its place, from 1. A replacement keeps the number. */
  number: Schema.Int,
  /** The number of places. */
  of: Schema.Int,
  /** The port of the parent's listener. */
  port: Schema.Int,
  /** The URL of the embedded database, which the parent runs; null: none. */
  embeddedUrl: Schema.NullOr(Schema.String)
})
export type WorkerProcess = typeof WorkerProcess.Type

/** What a worker process sends to its parent. `request` tells requests for metrics apart. */
export type WorkerMessage =
  | { readonly kind: "listening" }
  /** The answer to `ping`. */
  | { readonly kind: "pong" }
  /** The process has the socket, and begins to read it: the parent may close its own copy. */
  | { readonly kind: "connection_received"; readonly connection: number }
  | { readonly kind: "all_metrics_requested"; readonly request: number }
  | { readonly kind: "own_metrics"; readonly request: number; readonly page: string }

/** What the parent sends to a worker process. */
export type ParentMessage =
  | { readonly kind: "ping" }
  | { readonly kind: "own_metrics_requested"; readonly request: number }
  | { readonly kind: "all_metrics"; readonly request: number; readonly page: string }
  /** With its socket, unless the client has closed it meanwhile. */
  | { readonly kind: "connection"; readonly connection: number }
  /** Drain, and exit. A second one ends the drain at once. */
  | { readonly kind: "stop" }
  /** Do what SIGHUP does. */
  | { readonly kind: "reload" }

/** Set by the parent for its children. */
const variable = "LIMBECK_PROCESS"

const fromText = Schema.decodeUnknownSync(Schema.fromJsonString(WorkerProcess))

export const ofEnvironment = (env: Environment): WorkerProcess | null => {
  const text = env[variable]
  return text === undefined ? null : fromText(text)
}

export const variables = (worker: WorkerProcess): Readonly<Record<string, string>> => ({
  [variable]: JSON.stringify(worker)
})

/** The number of `--processes`, or a sentence with the reason for refusal. */
export const countOf = (option: string, { storage }: Settings): Result.Result<number, string> => {
  const count = option === "auto" ? os.availableParallelism() : Number(option)
  if (option !== "auto" && !/^[1-9]\d{0,2}$/.test(option)) {
    return Result.fail("--processes: must be a whole number from 1 to 999, or auto")
  }
  return count > 1 && storage === "memory"
    ? Result.fail(
        `--processes: ${count} cannot be with STORAGE=memory, which is in one process and unknown to the others`
      )
    : Result.succeed(count)
}

/** The settings of one process: bounds of all processes together are divided. */
export const settingsOf = (settings: Settings, { of: processes }: WorkerProcess): Settings => ({
  ...settings,
  connectionsMax: Math.ceil(settings.connectionsMax / processes)
})

/** Postgres connections per process: in total as many as a single process has, and at least the minimum for one. */
export const poolOf = ({ of: processes }: WorkerProcess): number =>
  Math.max(Limits.poolMin, Math.ceil(Limits.poolMax / processes))
