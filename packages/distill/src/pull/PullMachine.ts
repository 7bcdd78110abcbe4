/** The life of a pull, as data (contract 6). `edges` says what may lead where; nothing else moves a pull. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { Limits } from "../Limits.ts"
import type { LineError } from "../upload/Upload.ts"
import type { Pull, PullStatus } from "./Pull.ts"

export type PullEvent = Data.TaggedEnum<{
  /** A worker took it up, for the first time or after one that was lost. */
  Started: {}
  /** The whole content is here, and need not be fetched again. */
  ContentArrived: { readonly blob: { readonly sha256: string; readonly bytes: number }; readonly gzip: boolean }
  /** Every line was read. */
  ContentRead: { readonly rows: number; readonly errors: ReadonlyArray<LineError>; readonly errorCount: number }
  /** The content cannot be had. */
  Failed: { readonly code: string; readonly message: string }
}>
export const PullEvent = Data.taggedEnum<PullEvent>()

export class InvalidTransition extends Data.TaggedError("InvalidTransition")<{
  readonly from: PullStatus
  readonly event: PullEvent["_tag"]
}> {}

type Edges = Readonly<Record<PullStatus, Partial<Readonly<Record<PullEvent["_tag"], ReadonlyArray<PullStatus>>>>>>

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
} as const satisfies Edges

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
      const errors = event.errors.slice(0, Limits.uploadErrorsMax)
      const error = { code: "invalid_rows", message: notRows(errorCount) }
      return { ...pull, status: "failed", errors, errorCount, error, finishedAt: now }
    }
    case "Failed":
      return { ...pull, status: "failed", error: { code: event.code, message: event.message }, finishedAt: now }
  }
}

/** Pure: no clock, no id, no storage. */
export const transition = (pull: Pull, event: PullEvent, now: Millis): Result.Result<Pull, InvalidTransition> =>
  (edges as Edges)[pull.status][event._tag] === undefined
    ? Result.fail(new InvalidTransition({ from: pull.status, event: event._tag }))
    : Result.succeed({ ...apply(pull, event, now), updatedAt: now })
