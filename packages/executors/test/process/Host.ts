/**
 * A process that hosts the executor until it kills itself: runs the first attempt of a stage in the given folder, and
 * appends each progress item to `heard.jsonl` before taking the next. Kills itself after a given number of items of one
 * tag.
 */
import * as fs from "node:fs"
import path from "node:path"
import type { Progress } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import { worldIn } from "./Trainings.ts"

const [, , folder = "", kind = "sft", options = "{}", last = "", count = "1"] = process.argv
const { attempt } = worldIn(folder, JSON.parse(options))
let left = Number(count)
const onProgress = (said: Progress) => {
  fs.appendFileSync(path.join(folder, "heard.jsonl"), `${JSON.stringify(said)}\n`)
  const isLast = said._tag === last || (said._tag === "Log" && said.message === last)
  if (isLast && --left === 0) process.kill(process.pid, "SIGKILL")
}
const results = JSON.parse(options).results ?? {}
await Effect.runPromise(
  // One of the five stage kinds.
  attempt(kind as "sft" | "eval", { ...JSON.parse(options), results, onProgress })
)
