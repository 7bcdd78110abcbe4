/** Attempts of a stage in another process, which is then killed. */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type { Progress } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import { until } from "./Trainings.ts"

const program = fileURLToPath(new URL("./Host.ts", import.meta.url))

/** Another process begins the stage, and is killed in the moment in which it hears this word for so many times. */
export const hostedAndKilled = Effect.fnUntraced(function* (
  folder: string,
  kind: string,
  options: object,
  {
    last,
    times = 1
  }: {
    /** A kind of word, or a line of the log. */ readonly last: string
    readonly times?: number
  }
) {
  const host = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        process.execPath,
        ["--conditions=@limbeck/source", program, folder, kind, JSON.stringify(options), last, String(times)],
        { stdio: "inherit" }
      )
    ),
    (host) => Effect.sync(() => host.kill("SIGKILL"))
  )
  yield* until(() => host.signalCode !== null)
  return fs
    .readFileSync(path.join(folder, "heard.jsonl"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Progress => JSON.parse(line))
})
