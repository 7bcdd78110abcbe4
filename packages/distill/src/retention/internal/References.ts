/** Which contents are still needed by what names them. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import { DistillLimits } from "../../Limits.ts"
import type { Run } from "../../run/Run.ts"
import { digestsIn } from "./BlobLabel.ts"

/** A run that has succeeded is never resumed: the results of its stages are needed, their checkpoints are not. */
export const neededBy = ({ stages, status }: Pick<Run, "stages" | "status">): ReadonlySet<string> =>
  digestsIn(stages.map(({ checkpoint, result }) => [status === "succeeded" ? null : checkpoint?.state, result]))

/** Of an upload or a pull. */
export interface ContentHolder {
  readonly id: string
  readonly status: string
  readonly contentGoneAt?: Millis
}

/** Whether its rows may still be read: no version is built from one that failed, and none is begun once it is said to be gone. */
export const holdsContent = (
  { contentGoneAt, id, status }: ContentHolder,
  { builtFrom, now }: { readonly builtFrom: ReadonlySet<string>; readonly now: Millis }
): boolean => {
  if (status === "failed") return false
  // A version that was begun just before has the time to be seen.
  return contentGoneAt === undefined || contentGoneAt + DistillLimits.blobGraceMillis > now || builtFrom.has(id)
}

/** Whether the content has been kept for as long as was asked for. */
export const isOutdated = (
  holder: ContentHolder & { readonly updatedAt: Millis },
  { keptMillis, now }: { readonly keptMillis: number; readonly now: Millis }
): boolean =>
  holder.status === "succeeded" && holder.contentGoneAt === undefined && holder.updatedAt + keptMillis <= now
