/** The life of a pull, as data (contract 6). `edges` lists the only allowed moves. */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import { DistillLimits } from "../Limits.ts"
import type { LineError } from "../upload/Upload.ts"
import type { Pull, PullStatus } from "./Pull.ts"

export type PullEvent = Data.TaggedEnum<{
  /** A worker has started it, for the first time or after a lost one. */
  Started: {}
  /** The whole content is here, and need not be fetched again. */
  ContentArrived: { readonly blob: { readonly sha256: string; readonly bytes: number }; readonly gzip: boolean }
  /** Every line was read. */
  ContentRead: { readonly rows: number; readonly errors: ReadonlyArray<LineError>; readonly errorCount: number }
  /** The content cannot be had. */
  Failed: { readonly code: string; readonly message: string }
}>
export const PullEvent = Data.taggedEnum<PullEvent>()

export const edges = {
  queued: { Started: ["running"] },
  running: {
    Started: ["running"],
    ContentArrived: ["running"],
    ContentRead: ["succeeded", "failed"],
    Failed: ["failed"]
  },
  succeeded: {},
  failed: {}
} as const satisfies Machine.Edges<PullStatus, PullEvent["_tag"]>

const notRows = (count: number): string => (count === 1 ? "1 line is no row" : `${count} lines are no rows`)

const apply = (pull: Pull, event: PullEvent, now: Millis): Pull => {
  switch (event._tag) {
    case "Started":
      return { ...pull, status: "running", starts: pull.starts + 1, startedAt: pull.startedAt ?? now }
    case "ContentArrived":
      return { ...pull, blob: event.blob, gzip: event.gzip }
    case "ContentRead": {
      const { errorCount, rows } = event
      if (errorCount === 0) return { ...pull, status: "succeeded", rows, finishedAt: now }
      const errors = event.errors.slice(0, DistillLimits.uploadErrorsMax)
      const error = { code: "invalid_rows", message: notRows(errorCount) }
      return { ...pull, status: "failed", errors, errorCount, error, finishedAt: now }
    }
    case "Failed":
      return { ...pull, status: "failed", error: { code: event.code, message: event.message }, finishedAt: now }
  }
}

const machine = Machine.make<PullStatus, Pull, PullEvent>({ name: "pull", edges, apply })

/** Pure: no clock, no id, no storage. */
export const transition = (pull: Pull, event: PullEvent, now: Millis): Result.Result<Pull, Machine.InvalidTransition> =>
  machine.transition(pull, event, now)
