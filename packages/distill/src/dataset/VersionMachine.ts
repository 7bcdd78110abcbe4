/** The life of a dataset version, as data: built once, then ready or failed (contract 6). */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import type * as Result from "effect/Result"
import type { DatasetVersion, RowProfile } from "./DatasetVersion.ts"
import type { VersionQuestion } from "./VersionQuestion.ts"
import type { VersionTemplate } from "./VersionTemplate.ts"

export type VersionEvent = Data.TaggedEnum<{
  Built: {
    readonly trainRows: number
    readonly holdoutRows: number
    readonly contentSha256: string
    readonly dropped: DatasetVersion["dropped"]
    readonly droppedReasons: Readonly<Record<string, number>>
    readonly nearDuplicates: number
    readonly contradictions: NonNullable<DatasetVersion["contradictions"]>
    readonly cleaning?: NonNullable<DatasetVersion["cleaning"]>
    readonly reviewed: NonNullable<DatasetVersion["reviewed"]>
    /** Empty without decisions. */
    readonly questions: ReadonlyArray<VersionQuestion>
    readonly effectiveRows: number
    readonly madeOf?: NonNullable<DatasetVersion["madeOf"]>
    /** The most frequent first. */
    readonly templates: ReadonlyArray<VersionTemplate>
    readonly profile: RowProfile
  }
  Failed: { readonly code: string; readonly message: string }
}>
export const VersionEvent = Data.taggedEnum<VersionEvent>()

export type VersionStatus = DatasetVersion["status"]

export const edges = {
  building: { Built: ["ready"], Failed: ["failed"] },
  ready: {},
  failed: {}
} as const satisfies Machine.Edges<VersionStatus, VersionEvent["_tag"]>

const apply = (version: DatasetVersion, event: VersionEvent): DatasetVersion => {
  switch (event._tag) {
    case "Built": {
      const { _tag, ...built } = event
      return {
        ...version,
        ...built,
        status: "ready",
        rows: built.profile.rows,
        tokens: built.profile.promptTokens + built.profile.completionTokens
      }
    }
    case "Failed":
      return { ...version, status: "failed", error: { code: event.code, message: event.message } }
  }
}

const machine = Machine.make<VersionStatus, DatasetVersion, VersionEvent>({ name: "dataset_version", edges, apply })

/** Pure: no clock, no id, no storage. */
export const transition = (
  version: DatasetVersion,
  event: VersionEvent,
  now: Millis
): Result.Result<DatasetVersion, Machine.InvalidTransition> => machine.transition(version, event, now)
