/**
 * A process that hosts the executor, to be killed: works on the first attempt of a stage in the folder it is given, and
 * writes what would be stored to `heard.jsonl`, one line per word, before it takes the next.
 */
import * as fs from "node:fs"
import path from "node:path"
import * as Effect from "effect/Effect"
import { worldIn } from "./Trainings.ts"

const [, , folder = "", kind = "sft", options = "{}"] = process.argv
const { attempt } = worldIn(folder, JSON.parse(options))
const hear = (said: unknown) => fs.appendFileSync(path.join(folder, "heard.jsonl"), `${JSON.stringify(said)}\n`)
const results = JSON.parse(options).results ?? {}
await Effect.runPromise(
  // The stage of a run has one of five names.
  attempt(kind as "sft" | "eval", { ...JSON.parse(options), results, hear })
)
