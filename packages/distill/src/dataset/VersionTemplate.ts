/** A prompt of a version's rows (contract 16.37). */
import * as Id from "@limbeck/core/ids/Id"
import * as Schema from "effect/Schema"

/** Digest of the folded instruction; see `TemplateRules`. */
const TemplateId = Id.schema("tpl")

export const VersionTemplate = Schema.Struct({
  id: TemplateId,
  rows: Schema.Int,
  /** Of the version's rows. */
  share: Schema.Finite,
  /** The beginning of one row's instruction; empty for rows without an instruction. */
  sample: Schema.String
})
export type VersionTemplate = typeof VersionTemplate.Type
