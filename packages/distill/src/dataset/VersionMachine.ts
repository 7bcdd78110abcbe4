/** The life of a dataset version, as data: built once, then ready or failed for good (contract 6). */
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import type { DatasetVersion, RowProfile } from "./DatasetVersion.ts"

export type VersionEvent = Data.TaggedEnum<{
  Built: {
    readonly trainRows: number
    readonly holdoutRows: number
    readonly contentSha256: string
    readonly dropped: DatasetVersion["dropped"]
    readonly nearDuplicates: number
    readonly profile: RowProfile
  }
  Failed: { readonly code: string; readonly message: string }
}>
export const VersionEvent = Data.taggedEnum<VersionEvent>()

export type VersionStatus = DatasetVersion["status"]

export class InvalidTransition extends Data.TaggedError("InvalidTransition")<{
  readonly from: VersionStatus
  readonly event: VersionEvent["_tag"]
}> {}

type Edges = Readonly<Record<VersionStatus, Partial<Readonly<Record<VersionEvent["_tag"], VersionStatus>>>>>

export const edges = {
  building: { Built: "ready", Failed: "failed" },
  ready: {},
  failed: {}
} as const satisfies Edges

const apply = (version: DatasetVersion, event: VersionEvent): DatasetVersion => {
  switch (event._tag) {
    case "Built": {
      const { _tag, ...built } = event
      return {
        ...version,
        ...built,
        rows: built.profile.rows,
        tokens: built.profile.promptTokens + built.profile.completionTokens
      }
    }
    case "Failed":
      return { ...version, error: { code: event.code, message: event.message } }
  }
}

/** Pure: no clock, no id, no storage. */
export const transition = (
  version: DatasetVersion,
  event: VersionEvent,
  now: Millis
): Result.Result<DatasetVersion, InvalidTransition> => {
  const to = (edges as Edges)[version.status][event._tag]
  return to === undefined
    ? Result.fail(new InvalidTransition({ from: version.status, event: event._tag }))
    : Result.succeed({ ...apply(version, event), status: to, updatedAt: now })
}
