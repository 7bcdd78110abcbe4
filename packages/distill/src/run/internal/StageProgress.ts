/** How progress of the running stage changes its run, and which parts followers see. Pure. */
import * as Budget from "../Budget.ts"
import type { Progress } from "../Executor.ts"
import type * as Run from "../Run.ts"
import type { NewRecord } from "../RunRecords.ts"
import { sanitize } from "../Sanitizer.ts"
import type { StageMessage } from "./StageMessages.ts"

const rowAfter = (row: Run.RunStage, progress: Progress): Run.RunStage => {
  switch (progress._tag) {
    case "Metric":
      return { ...row, metrics: { ...row.metrics, [progress.name]: progress.value } }
    case "Log":
      return row.hasLogs ? row : { ...row, hasLogs: true }
    case "Checkpoint":
      return { ...row, checkpoint: { state: progress.state, usage: progress.usage } }
    default:
      return row
  }
}

/** The run with the progress in its stage's row, and with the spend that it reports. */
export const runAfter = (run: Run.Run, seq: number, progress: Progress, at: number): Run.Run => {
  const counted =
    progress._tag === "Spend" || progress._tag === "Checkpoint" ? Budget.spend(run, seq, progress.usage) : run
  return {
    ...counted,
    updatedAt: at,
    stages: counted.stages.map((row) => (row.seq === seq ? rowAfter(row, progress) : row))
  }
}

/** Whether the stage reports a spend that the budget does not hold. It fails then. */
export const exceedsBudget = (run: Run.Run, seq: number, message: StageMessage): boolean =>
  (message._tag === "Spend" || message._tag === "Checkpoint") && !Budget.holds(run, seq, message.usage)

export const recordOf = (stage: number, at: number, progress: Progress): NewRecord | undefined => {
  switch (progress._tag) {
    case "Metric": {
      const { name, step, unit, value } = progress
      return { kind: "metric", point: { stage, name, unit, step, value, at } }
    }
    case "Log":
      return { kind: "log", line: { stage, at, level: progress.level, message: sanitize(progress.message) } }
    default:
      return undefined
  }
}
