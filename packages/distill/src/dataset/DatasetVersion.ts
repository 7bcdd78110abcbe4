/** A dataset version: rows that never change again, split into train and holdout (contract 6). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import * as LoopLabel from "../loop/LoopLabel.ts"
import { PullId } from "../pull/Pull.ts"
import { UploadId } from "../upload/Upload.ts"
import { CallsFilter } from "./CallsFilter.ts"
import { Census } from "./Census.ts"
import { ProfiledField } from "./FieldKinds.ts"
import { DatasetId } from "./internal/Dataset.ts"
import { RowOrigin } from "./internal/RowLine.ts"
import { RedactionKind } from "./redaction/Redaction.ts"
import { VersionQuestion } from "./VersionQuestion.ts"
import { VersionTemplate } from "./VersionTemplate.ts"

export const DatasetVersionId = Id.schema("dsv")
export type DatasetVersionId = typeof DatasetVersionId.Type

export const VersionStatus = Schema.Literals(["building", "ready", "failed"])

/** Properties of the rows, for judging a case and for estimates. Counted while building. */
export const RowProfile = Schema.Struct({
  rows: Schema.Int,
  /** Rows whose conversation has more than one user turn. */
  multiTurn: Schema.Int,
  /** Rows whose completion or conversation uses tools. */
  toolUse: Schema.Int,
  /** Tool rows with a single call, in the completion. Absent in versions of earlier servers. */
  calls: Schema.optionalKey(Schema.Int),
  /** Rows whose completion is a JSON object or array. */
  structured: Schema.Int,
  /** The labels that the completions are, sorted; null when they are no closed set, or one for each field. */
  labels: Schema.NullOr(Schema.Array(Schema.String)),
  /** The differing fields and the sizes of their closed sets, if completions are JSON objects with the same fields. */
  fields: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        /** Empty for a list as a whole. */
        name: Schema.String,
        labels: Schema.Int,
        /** Whether an answer lists any number of the labels. Absent: it is one of them. */
        isList: Schema.optionalKey(Schema.Literal(true))
      })
    )
  ),
  /** Fields of JSON answers, or arguments of the only tool, in half of the rows or more. Absent for other answers, and in versions of earlier servers. */
  fieldKinds: Schema.optionalKey(Schema.Array(ProfiledField)),
  /** Answer fields that copy numbers from the request; absent without such fields. */
  taken: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The closed set, if the completions are one. Absent in versions of earlier servers. */
  answers: Schema.optionalKey(
    Schema.Struct({
      /** Rows that answer no label. */
      odd: Schema.Int,
      /** Other writings of labels, in case, white space, end punctuation or form of JSON. */
      variants: Schema.Int
    })
  ),
  promptTokens: Schema.Int,
  /** Tokens of the requests, the last user message of each row. Absent in versions of earlier servers. */
  requestTokens: Schema.optionalKey(Schema.Int),
  completionTokens: Schema.Int,
  longestTokens: Schema.Int,
  /** Rows whose prompt has an image, audio or a file. Absent in versions of earlier servers. */
  media: Schema.optionalKey(Schema.Int),
  /** Absent without a builtin student, and in versions of earlier servers. */
  census: Schema.optionalKey(Census)
})
export type RowProfile = typeof RowProfile.Type

/** Versions whose rows are joined; a row that both have is one. */
const joined = { versions: Schema.optionalKey(Schema.Array(DatasetVersionId)) }

/** The source of the rows. */
export const RowsFrom = Schema.Union([
  Schema.Struct({ upload: UploadId, ...joined }),
  Schema.Struct({ pull: PullId, ...joined }),
  Schema.Struct({ calls: CallsFilter, ...joined }),
  Schema.Struct({ versions: Schema.Array(DatasetVersionId) })
])
export type RowsFrom = typeof RowsFrom.Type

/** What the build does with train rows whose answers look wrong. */
export const Clean = Schema.Literals(["report", "drop", "relabel"])

/** The teacher that is asked about the suspects again, and what this may cost. */
const Relabel = Schema.Struct({
  /** By name or id. */
  source: Schema.String,
  model: Schema.String,
  budgetMicros: Schema.Int
})

/** What the build has found and done. */
export const Cleaning = Schema.Struct({
  /** Train rows that were judged by a model that had not learnt from them. */
  examined: Schema.Int,
  suspects: Schema.Int,
  /** Suspects that are more likely noise than hard rows. */
  confident: Schema.Int,
  /** Why no row was examined, for a person; null: they were. */
  reason: Schema.NullOr(Schema.String),
  /** Present where the teacher was asked again. */
  relabel: Schema.optionalKey(
    Schema.Struct({
      asked: Schema.Int,
      changed: Schema.Int,
      confirmed: Schema.Int,
      undecided: Schema.Int,
      spentMicros: Schema.Int,
      /** Why some were not asked, for a person; null: all were. */
      reason: Schema.NullOr(Schema.String)
    })
  )
})

/** Whether the rows of this source have weights and origins. */
export const isWeighed = (source: RowsFrom): boolean => "calls" in source || source.versions !== undefined

export const DatasetVersion = Schema.Struct({
  id: DatasetVersionId,
  dataset: DatasetId,
  status: VersionStatus,
  /** The loop of its dataset, if any. */
  loop: Schema.optionalKey(Schema.NullOr(Schema.String)),
  source: RowsFrom,
  holdoutFraction: Schema.Finite,
  dedupe: Schema.Literals(["exact", "none"]),
  /** Kinds of redaction; absent in versions of earlier servers. */
  redact: Schema.optionalKey(Schema.Array(RedactionKind)),
  seed: Schema.Int,
  /** Absent: the build examines no row. */
  clean: Schema.optionalKey(Clean),
  /** Present with `clean: "relabel"`. */
  relabel: Schema.optionalKey(Relabel),
  /** Absent until ready, and where the build examines no row. */
  cleaning: Schema.optionalKey(Cleaning),
  /** Train rows whose answer review queues have corrected, and those left out; absent in versions of earlier servers. */
  reviewed: Schema.optionalKey(Schema.Struct({ corrected: Schema.Int, dropped: Schema.Int })),
  rows: Schema.Int,
  trainRows: Schema.Int,
  holdoutRows: Schema.Int,
  tokens: Schema.Int,
  /** Digest of the rows and their split, whatever order they came in; null until ready. */
  contentSha256: Schema.NullOr(Schema.String),
  dropped: Schema.Struct({
    duplicates: Schema.Int,
    invalid: Schema.Int,
    redactions: Schema.Int,
    /** Calls that cannot be a row; absent in versions of earlier servers. */
    unsupported: Schema.optionalKey(Schema.Int),
    /** Left out by `clean`; absent in versions of earlier servers. */
    suspects: Schema.optionalKey(Schema.Int)
  }),
  /** How many calls cannot be a row, by reason; absent in versions of earlier servers. */
  droppedReasons: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)),
  /** Rows beyond the first of each prompt, near-duplicates of it; absent in versions from before they were counted. */
  nearDuplicates: Schema.optionalKey(Schema.Int),
  /** Rows whose prompt other rows answer otherwise, and the rows by which each such prompt passes its most frequent answer. */
  contradictions: Schema.optionalKey(Schema.Struct({ rows: Schema.Int, lost: Schema.Int })),
  /** The questions of its decisions, those with the most rows first; absent in versions of earlier servers. */
  questions: Schema.optionalKey(Schema.Array(VersionQuestion)),
  /** Absent in versions of earlier servers, whose rows all have the weight 1. */
  effectiveRows: Schema.optionalKey(Schema.Finite),
  /** Rows by where they came from. Absent where no row comes from a call or a version, and in versions of earlier servers. */
  madeOf: Schema.optionalKey(Schema.Record(RowOrigin, Schema.Int)),
  /** The most frequent prompts of its rows. Absent in versions of decisions, and of earlier servers. */
  templates: Schema.optionalKey(Schema.Array(VersionTemplate)),
  profile: Schema.NullOr(RowProfile),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  /** The traceparent of the creating request; absent without a trace. */
  traceparent: Schema.optionalKey(Schema.String),
  createdAt: Millis,
  updatedAt: Millis
})
export type DatasetVersion = typeof DatasetVersion.Type

export const kind = Kind.make({
  name: "dataset_version",
  schema: DatasetVersion,
  labels: (version) => [`dataset:${version.dataset}`, `status:${version.status}`, ...LoopLabel.labels(version.loop)]
})

/** The queue topic on which versions wait to be built. */
export const topic = "dataset_version"
