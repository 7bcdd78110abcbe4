/** Run workers as separate processes, and another server's services beside them, all on one schema. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import * as Partition from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as DatasetVersion from "@limbeck/distill/dataset/DatasetVersion"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { request, version } from "@limbeck/testing/fixtures/Plans"
import { url } from "@limbeck/testing/fixtures/Postgres"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Programs from "../../../workshop/programs/Programs.ts"
import { executors, type Report, type RunWorkerOptions, services } from "../fixtures/RunWorker.ts"

const program = await Programs.made(new URL("../fixtures/RunWorker.ts", import.meta.url))

export const partition = Partition.make("ws_00000000000000000000000001", true)

export interface RunWorker {
  /** kill -9. */
  readonly kill: () => Promise<void>
}

type WorkerStart = Extract<Report, { kind: "started" }>

export const open = (atEnd: AtEnd, schema: string, paceMillis: number) => {
  const children = new Set<ChildProcess>()
  const runtime = ManagedRuntime.make(services({ url, schema }, executors(paceMillis)))
  const started: Array<WorkerStart> = []
  const stopped: Array<string> = []
  const said: Array<string> = []

  const kill = async (child: ChildProcess) => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined
    children.delete(child)
    child.kill("SIGKILL")
    await ended
  }

  atEnd(async () => {
    await Promise.all([...children].map(kill))
    await runtime.dispose()
  })

  return {
    /** All workers' begun attempts, runs with stopped attempts, and logs. */
    started,
    stopped,
    said,
    run: runtime.runPromise,
    request,
    /** The id of a version that runs can be made on. */
    version: () => {
      const made = version()
      return runtime.runPromise(
        Effect.flatMap(ResourceStore, (store) => Effect.as(store.insert(partition, DatasetVersion.kind, made), made.id))
      )
    },
    /** One more, ready. */
    start: async (deaf = false): Promise<RunWorker> => {
      const options: RunWorkerOptions = { url, schema, paceMillis, deaf }
      const child = fork(program, [JSON.stringify(options)], {
        execArgv: ["--conditions=@limbeck/source"],
        stdio: ["ignore", "pipe", "pipe", "ipc"]
      })
      children.add(child)
      for (const stream of [child.stdout, child.stderr]) {
        createInterface({ input: stream! }).on("line", (line) => said.push(line))
      }
      const ready = new Promise<void>((resolve) => {
        // Only a worker writes here, and it writes this.
        child.on("message", (report: Report) => {
          if (report.kind === "ready") resolve()
          if (report.kind === "started") started.push(report)
          if (report.kind === "stopped") stopped.push(report.run)
        })
      })
      const death = once(child, "exit").then(() => {
        if (children.has(child)) throw new Error(`A worker ended by itself:\n${said.join("\n")}`)
      })
      death.catch(() => {})
      await Promise.race([ready, death])
      return { kill: () => kill(child) }
    }
  } as const
}
