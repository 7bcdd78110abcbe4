/**
 * One start of the trainer, recorded in files. The intent is written before the start, so that a crash leaves either no
 * job or a complete one.
 */
import * as fs from "node:fs/promises"
import path from "node:path"
import { Usage } from "@limbeck/distill/run/Run"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { exists, io, readText, writeJson } from "./Files.ts"
import { privateFile, privateFolder } from "./PrivateModes.ts"

const Intent = Schema.Struct({
  attempt: Schema.Int,
  startedAt: Schema.Finite,
  /** The stage's usage at the start of the trainer. */
  usage: Usage
})
type Intent = typeof Intent.Type

const decodeIntent = Schema.decodeUnknownOption(Schema.fromJsonString(Intent))

export interface Job extends Intent {
  readonly folder: string
}

export const file = ({ folder }: Pick<Job, "folder">, name: string): string => path.join(folder, name)

/** Marks a failed job whose output was read to its end. No attempt resumes the job. */
const closedFile = "closed"
/** The attempt that drives the job, for the reaper. */
const driverFile = "driver"

export const close = (job: Job) => io(() => fs.writeFile(file(job, closedFile), "", { mode: privateFile }))
export const isClosed = (job: Job): Promise<boolean> => exists(file(job, closedFile))

export const drive = (job: Job, attempt: number) =>
  io(() => fs.writeFile(file(job, driverFile), String(attempt), { mode: privateFile }))
export const driverOf = async (job: Job): Promise<number> => Number((await readText(file(job, driverFile))) ?? 0)

export const output = (job: Job) => ({ stdout: file(job, "stdout"), stderr: file(job, "stderr") })

/** The jobs of a stage, oldest first. */
export const list = async (stage: string): Promise<ReadonlyArray<Job>> => {
  const names = await fs.readdir(stage).catch((): ReadonlyArray<string> => [])
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number)
  const jobs = numbers
    .toSorted((a, b) => a - b)
    .map(async (number): Promise<ReadonlyArray<Job>> => {
      const folder = path.join(stage, String(number))
      const intent = decodeIntent(await readText(path.join(folder, "job.json")))
      return Option.isSome(intent) ? [{ ...intent.value, folder }] : []
    })
  return (await Promise.all(jobs)).flat()
}

/** Writes the trainer's input to disk. From then on `list` finds the job. */
export const prepare = async (job: Job, input: Schema.Json): Promise<void> => {
  const { attempt, folder, startedAt, usage } = job
  await fs.mkdir(file(job, "work"), { recursive: true, mode: privateFolder })
  await writeJson(file(job, "input.json"), input)
  await writeJson(path.join(folder, "job.json"), { attempt, startedAt, usage })
}
