/** The list of the suspects of a version: where its rows are stored. A version has one list, of its first examination. */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DatasetVersionId } from "../dataset/DatasetVersion.ts"

export const SuspectList = Schema.Struct({
  /** Of the version. */
  id: DatasetVersionId,
  /** The version's build, or the run that trained on it first. */
  origin: Schema.String,
  examined: Schema.Int,
  suspects: Schema.Int,
  createdAt: Millis
})
export type SuspectList = typeof SuspectList.Type

export const kind = Kind.make({ name: "suspect_list", schema: SuspectList })

/** The name under which `RowStore` holds the suspects of an origin. */
export const rowsOf = ({ id, origin }: Pick<SuspectList, "id" | "origin">): string => `${id}.suspects.${origin}`
