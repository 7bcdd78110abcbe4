/** The observable state of a job, in its folder and at the cluster, and its meaning. */
import * as fs from "node:fs/promises"
import { exists, readText } from "../../process/internal/Files.ts"
import { file, type Job } from "../../process/internal/Job.ts"
import { RayLimits } from "./Limits.ts"
import type { RayJob } from "./RayJobs.ts"

/** As the cluster knows it: not at all, or nobody can say. */
export type KnownJob = RayJob | "absent" | "unknown"

export interface JobView {
  /** In milliseconds; null: not begun. */
  readonly begunAt: number | null
  readonly hasExited: boolean
  readonly isToldToStop: boolean
  /** Somebody has found it gone. */
  readonly isGone: boolean
  readonly pulse: string | null
  /** The time of the pulse's last change, or of the cluster's report of the end, by our clock. */
  readonly quietSince: number
  readonly known: KnownJob
  /** When the cluster answered last. */
  readonly answeredAt: number
}

const goneFile = "gone"

export const markGone = (job: Job): Promise<void> => fs.writeFile(file(job, goneFile), "")

/** Not before the job was made, and not in the future, whatever the clock of the folder's machine says. */
const begunAt = (job: Job, now: number): Promise<number | null> =>
  fs.stat(file(job, "begun")).then(
    ({ mtimeMs }) => Math.min(Math.max(mtimeMs, job.startedAt), now),
    () => null
  )

const isOver = (known: KnownJob): boolean =>
  typeof known === "object" && known.status !== "PENDING" && known.status !== "RUNNING"

/** The cluster runs the job or will run it; or the job has no pulse yet. */
export const isWaitingOrRunning = ({ begunAt, known }: JobView): boolean =>
  begunAt === null ? !isOver(known) : typeof known === "object" && known.status === "RUNNING"

/** The view after `before`, given the cluster's latest report. */
export const look = async (job: Job, before: JobView | null, known: KnownJob, now: number): Promise<JobView> => {
  const pulse = await readText(file(job, "pulse"))
  const isSame = before !== null && before.pulse === pulse && isOver(before.known) === isOver(known)
  return {
    begunAt: await begunAt(job, now),
    hasExited: await exists(file(job, "exit")),
    isToldToStop: await exists(file(job, "stop")),
    isGone: await exists(file(job, goneFile)),
    pulse,
    quietSince: isSame ? before.quietSince : now,
    known,
    answeredAt: known === "unknown" ? (before?.answeredAt ?? now) : now
  }
}

const quietMax = (known: KnownJob): number => {
  if (typeof known === "string") return RayLimits.unknownQuietMillis
  return isOver(known) ? RayLimits.endedQuietMillis : RayLimits.runningQuietMillis
}

/**
 * begun: over after its exit, or after the quiet time that the cluster's report allows
 * not begun: over after a stop request or the cluster's report; a lost job is submitted again
 */
export const isAlive = (view: JobView, now: number): boolean => {
  const { begunAt, hasExited, isGone, isToldToStop, known, quietSince } = view
  if (hasExited || isGone) return false
  if (begunAt !== null) return now - quietSince < quietMax(known)
  return !isToldToStop && (!isOver(known) || now - quietSince < RayLimits.endedQuietMillis)
}

/** When the job last wrote to its folder; null if it never began. */
export const lifeOf = async (job: Job, now: number) => {
  const from = await begunAt(job, now)
  if (from === null) return null
  const times = await Promise.all(
    ["exit", "pulse"].map((name) =>
      fs.stat(file(job, name)).then(
        ({ mtimeMs }) => mtimeMs,
        () => from
      )
    )
  )
  return { from, to: Math.min(Math.max(from, ...times), now) }
}
