/** Which contents a resource still needs. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import { DistillLimits } from "../../Limits.ts"
import type { Run } from "../../run/Run.ts"
import { digestsIn } from "./BlobLabel.ts"

/** A succeeded run is never resumed: it needs its stages' results, but no checkpoints. */
export const requiredDigests = ({ stages, status }: Pick<Run, "stages" | "status">): ReadonlySet<string> =>
  digestsIn(stages.map(({ checkpoint, result }) => [status === "succeeded" ? null : checkpoint?.state, result]))

/** Of an upload or a pull. */
export interface ContentHolder {
  readonly id: string
  readonly status: string
  readonly contentGoneAt?: Millis
}

/** Whether its rows may still be read: not after a failure, and not by a new version once it is closed. */
export const holdsContent = (
  { contentGoneAt, id, status }: ContentHolder,
  { builtFrom, now }: { readonly builtFrom: ReadonlySet<string>; readonly now: Millis }
): boolean => {
  if (status === "failed") return false
  // A version that was begun just before has the time to be seen.
  return contentGoneAt === undefined || contentGoneAt + DistillLimits.blobGraceMillis > now || builtFrom.has(id)
}

/** Whether the retention of the content is over. */
export const isOutdated = (
  holder: ContentHolder & { readonly updatedAt: Millis },
  { keptMillis, now }: { readonly keptMillis: number; readonly now: Millis }
): boolean =>
  holder.status === "succeeded" && holder.contentGoneAt === undefined && holder.updatedAt + keptMillis <= now
