/** Starts `limbeck serve` as the only process, a worker process, or the parent of workers. Each loads only its own modules. */
import * as Result from "effect/Result"
import * as Terminal from "../terminal/Terminal.ts"
import type { Environment } from "./Environment.ts"
import * as Exits from "./Exits.ts"
import * as ParentChannel from "./processes/ParentChannel.ts"
import * as WorkerProcess from "./processes/WorkerProcess.ts"
import * as Settings from "./Settings.ts"

/** Serves with the given number of processes (`auto`: one per core) until a signal, and returns this process's exit code. */
export const run = async (environment: Environment, processes: string): Promise<number> => {
  // A server goes on without anybody who reads its log.
  Terminal.onReaderGone(() => {})
  const read = Settings.fromEnvironment(environment, process.stdout.isTTY === true)
  if (Result.isFailure(read)) return Exits.ofWrongSetting(read.failure)
  const settings = read.success
  const worker = WorkerProcess.ofEnvironment(environment)
  const channel = worker === null ? ParentChannel.alone : ParentChannel.open()
  const count = worker === null ? WorkerProcess.countOf(processes, settings) : Result.succeed(1)
  if (Result.isFailure(count)) return Exits.ofWrongSetting(count.failure)
  if (count.success > 1) return (await import("./processes/Parent.ts")).run(settings, count.success)
  const own = worker === null ? settings : WorkerProcess.settingsOf(settings, worker)
  return (await import("./OneProcess.ts")).run(own, worker, channel)
}
