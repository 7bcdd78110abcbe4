/** The stages of a run in words, and how long they took. Pure. */
import type { Run } from "@limbeck/client"

type Stage = Run["stages"][number]

const names: Readonly<Record<string, string>> = {
  materialize: "prepare rows",
  sft: "train on rows",
  grpo: "train by rewards",
  eval: "evaluate",
  publish: "publish"
}

export const nameOfStage = (kind: string): string => names[kind] ?? kind

/** Milliseconds, up to now for a stage that has not ended; null before its beginning. */
export const durationOf = (
  { finished_at, started_at }: Pick<Stage, "finished_at" | "started_at">,
  now: number
): number | null =>
  started_at === null
    ? null
    : Math.max(0, (finished_at === null ? now : Date.parse(finished_at)) - Date.parse(started_at))

/** Skipped stages are no part of the run. */
export const isPart = ({ status }: Pick<Stage, "status">): boolean => status !== "skipped"
