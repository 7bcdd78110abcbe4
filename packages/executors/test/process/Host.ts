/**
 * A process that hosts the executor, and is killed: works on the first attempt of a stage in the folder it is given, and
 * writes what would be stored to `heard.jsonl`, one line per word, before it takes the next. When it has heard so many words of
 * a tag it kills itself, before it hears another one.
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
  // The stage of a run has one of five names.
  attempt(kind as "sft" | "eval", { ...JSON.parse(options), results, onProgress })
)
