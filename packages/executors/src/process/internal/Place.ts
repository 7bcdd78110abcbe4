/**
 * Where the files of a run lie.
 *
 *     <folder>/<run>/run.json  train.jsonl  holdout.jsonl  artifacts/<digest>
 *                    <seq>-<kind>/checkpoints/
 *                                 <attempt>/job.json leader input.json stdout stderr exit work/
 */
import * as fs from "node:fs/promises"
import path from "node:path"
import type { StageContext } from "@limbeck/distill/run/Executor"
import { writeJson } from "./Files.ts"
import { privateFolder } from "./PrivateModes.ts"

export interface Place {
  readonly run: string
  readonly stage: string
  readonly train: string
  readonly holdout: string
  readonly artifacts: string
  readonly checkpoints: string
}

export const of = (folder: string, { run, stage }: Pick<StageContext, "run" | "stage">): Place => {
  const runFolder = path.resolve(folder, run.id)
  const stageFolder = path.join(runFolder, `${stage.seq}-${stage.kind}`)
  return {
    run: runFolder,
    stage: stageFolder,
    train: path.join(runFolder, "train.jsonl"),
    holdout: path.join(runFolder, "holdout.jsonl"),
    artifacts: path.join(runFolder, "artifacts"),
    checkpoints: path.join(stageFolder, "checkpoints")
  }
}

/** The file that tells the reaper the partition of a run. */
export const aboutFile = "run.json"

export const prepare = async (place: Place, { partition }: Pick<StageContext, "partition">): Promise<void> => {
  for (const folder of [place.checkpoints, place.artifacts]) {
    await fs.mkdir(folder, { recursive: true, mode: privateFolder })
  }
  await writeJson(path.join(place.run, aboutFile), { partition: partition.key })
}
