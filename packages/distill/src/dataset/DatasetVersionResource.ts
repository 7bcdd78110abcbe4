/** A dataset version as its GET shows it, its rows, and the events that tell its end (contract 6, 14.20). */
import { SearchText } from "@limbeck/capture/call/CallResource"
import { Outcome, ServedBy } from "@limbeck/capture/call/CapturedCall"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { EventDraft } from "@limbeck/core/events/Event"
import * as JsonPieces from "@limbeck/core/json/JsonPieces"
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, Digest, Dollars, idOf, Reference, Timestamp } from "@limbeck/core/resources/WireSchemas"
import * as Characters from "@limbeck/core/text/Characters"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"
import type { CallsFilter } from "./CallsFilter.ts"
import * as Contradictions from "./Contradictions.ts"
import { Clean, Cleaning, type DatasetVersion, isWeighed, type RowsFrom, VersionStatus } from "./DatasetVersion.ts"
import { ProfiledField } from "./FieldKinds.ts"
import * as VersionWarnings from "./internal/VersionWarnings.ts"
import type { StoredRow } from "./RowStore.ts"
import { RedactionKind } from "./redaction/Redaction.ts"
import { VersionQuestion } from "./VersionQuestion.ts"
import { VersionTemplate } from "./VersionTemplate.ts"

export { Clean }

const Tag = Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.tagMax))

export const callsFilter = {
  /** All of them. */
  tags: Schema.optionalKey(Schema.Array(Tag).check(Schema.isMaxLength(CaptureLimits.tagsMax))),
  tag: Schema.optionalKey(Tag),
  model: Schema.optionalKey(Reference),
  deployment: Schema.optionalKey(
    Reference.annotate({ description: "Calls for this deployment, and those that verify its student's answers" })
  ),
  external_id: Schema.optionalKey(Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.externalIdMax))),
  served_by: Schema.optionalKey(
    ServedBy.annotate({ description: "Absent: every responder but students, whose answers are left out" })
  ),
  outcome: Schema.optionalKey(
    Outcome.annotate({ description: "Absent: succeeded. A call without an answer gives no row" })
  ),
  verifies: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "true: only calls that verify a student's answer; false: all others. Absent: all, without verifications under " +
        "`served_by` or `min_feedback`"
    })
  ),
  weights: Schema.optionalKey(
    Schema.Literals(["traffic", "none"]).annotate({
      description:
        "`traffic`, the default: a verified answer weighs as many of the student's answers as it stands for; `none`: every row weighs 1"
    })
  ),
  text: Schema.optionalKey(
    SearchText.annotate({ description: "A part of the request or the answer; case is ignored" })
  ),
  /** At least one feedback has this value or more. */
  min_feedback: Schema.optionalKey(Schema.Finite),
  /** The newest so many. */
  ids: Schema.optionalKey(
    Schema.Array(Reference)
      .check(Schema.isMinLength(1), Schema.isMaxLength(DistillLimits.chosenCallsMax))
      .annotate({ description: "These calls, and no others; beside them stand `served_by` and `outcome` alone" })
  ),
  limit: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)))
}

const CallsShown = Schema.Struct({
  ...callsFilter,
  source: Schema.optionalKey(Schema.String),
  created_after: Schema.optionalKey(Timestamp),
  created_before: Schema.optionalKey(Timestamp)
})

const joined = { versions: Schema.optionalKey(Schema.Array(idOf("dsv"))) }

const MadeOf = Schema.Struct({ upstream: Count, fallback: Count, verified: Count, versions: Count })

const Relabel = Schema.Struct({
  source: Schema.String,
  model: Schema.String,
  budget: Schema.Struct({ max_cost_usd: Dollars })
})

const Relabeled = Schema.Struct({
  asked: Count.annotate({ description: "Suspects about which the teacher was asked again" }),
  changed: Count.annotate({ description: "Rows with the answer on which two new ones agree" }),
  confirmed: Count.annotate({ description: "Rows whose answer a new one repeats" }),
  undecided: Count.annotate({ description: "Rows without two equal answers; they stay as they are" }),
  spent_usd: Dollars,
  reason: Schema.NullOr(Schema.String).annotate({
    description: "Why some suspects were not asked about, for a person; null: all were"
  })
})

export const DatasetVersionResource = Schema.Struct({
  id: idOf("dsv"),
  object: Schema.Literal("dataset_version"),
  livemode: Schema.Boolean,
  dataset: idOf("ds"),
  status: VersionStatus,
  from: Schema.Union([
    Schema.Struct({ upload: idOf("upl"), ...joined }),
    Schema.Struct({ pull: idOf("pull"), ...joined }),
    Schema.Struct({ calls: CallsShown, ...joined }),
    Schema.Struct({ versions: Schema.Array(idOf("dsv")) })
  ]),
  holdout_fraction: Schema.Finite,
  dedupe: Schema.Literals(["exact", "none"]),
  redact: Schema.Array(RedactionKind),
  seed: Schema.Int,
  rows: Count,
  train_rows: Count,
  holdout_rows: Count,
  tokens: Count,
  content_sha256: Schema.NullOr(Digest),
  dropped: Schema.Struct({
    duplicates: Count,
    invalid: Count,
    redactions: Count,
    unsupported: Count.annotate({ description: "Calls that cannot be a row" }),
    suspects: Count.annotate({ description: "Train rows whose answers look wrong, left out by `clean`" })
  }),
  dropped_reasons: Schema.Record(Schema.String, Count).annotate({
    description: "How many calls cannot be a row, by reason"
  }),
  near_duplicates: Count,
  contradictions: Schema.Struct({
    rows: Count,
    share: Schema.Finite,
    agreement_max: Schema.Finite
  }).annotate({
    description:
      "Rows whose prompt other rows answer otherwise, and their share. `agreement_max`: the agreement that no student of these rows can pass, " +
      "because it gives one answer to each prompt"
  }),
  clean: Clean,
  relabel: Schema.NullOr(Relabel).annotate({
    description: 'The teacher that `clean: "relabel"` asks, and what it may spend; null otherwise'
  }),
  cleaning: Schema.NullOr(
    Schema.Struct({
      ...Cleaning.fields,
      examined: Count,
      suspects: Count,
      confident: Count,
      relabel: Schema.NullOr(Relabeled).annotate({
        description: "What the teacher's new answers decided; null without them"
      })
    })
  ).annotate({
    description: "What the build has found among the train rows; null where the request had no `clean`, and until ready"
  }),
  reviewed: Schema.Struct({ corrected: Count, dropped: Count }).annotate({
    description:
      "What verdicts of review queues have made of the train rows before equal ones became one: rows that took the right answer, and rows left " +
      "out, whose answer is wrong while nobody named the right one"
  }),
  questions: Schema.Array(Schema.Struct({ ...VersionQuestion.fields, question: idOf("qst"), rows: Count })).annotate({
    description: "The questions of its decisions, those with the most rows first; empty without decisions"
  }),
  effective_rows: Schema.Finite.annotate({
    description:
      "How many rows of equal weight tell as much: the square of the sum of the weights by the sum of their squares"
  }),
  made_of: Schema.NullOr(MadeOf).annotate({
    description:
      "Rows by origin: answers of the upstream, of a fallback, of verifications, and rows of joined versions; null for an upload or a pull alone"
  }),
  templates: Schema.Array(Schema.Struct({ ...VersionTemplate.fields, id: idOf("tpl"), rows: Count })).annotate({
    description:
      "The 20 most frequent system prompts of its rows: equal after folding case, white space, punctuation and numbers. `sample` is the " +
      "beginning of one, empty for rows without a system prompt"
  }),
  fields: Schema.Array(Schema.Struct({ ...ProfiledField.fields, rows: Count })).annotate({
    description:
      "What the fields of its JSON answers hold, or the arguments of its only tool, by JSON Pointer without the first slash; empty for other " +
      "answers, and until ready. A builtin student can fill `closed` and `ordered` fields. `rows` have the field, and `share` of them a value " +
      "of the kind"
  }),
  warnings: Schema.Array(Schema.String).annotate({ description: "Sentences for a person; empty without a warning" }),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "DatasetVersion" })

const renderCalls = ({ createdAfter, createdBefore, externalId, minFeedback, servedBy, ...filter }: CallsFilter) => ({
  ...filter,
  ...(createdAfter === undefined ? {} : { created_after: toIso(createdAfter) }),
  ...(createdBefore === undefined ? {} : { created_before: toIso(createdBefore) }),
  ...(externalId === undefined ? {} : { external_id: externalId }),
  ...(servedBy === undefined ? {} : { served_by: servedBy }),
  ...(minFeedback === undefined ? {} : { min_feedback: minFeedback })
})

const renderFrom = (from: RowsFrom) => ("calls" in from ? { ...from, calls: renderCalls(from.calls) } : from)

const renderRelabel = ({ relabel }: DatasetVersion) =>
  relabel === undefined
    ? null
    : {
        source: relabel.source,
        model: relabel.model,
        budget: { max_cost_usd: toUsd(relabel.budgetMicros) }
      }

const renderCleaning = ({ cleaning }: DatasetVersion) => {
  if (cleaning === undefined) return null
  if (cleaning.relabel === undefined) return { ...cleaning, relabel: null }
  const { spentMicros, ...counts } = cleaning.relabel
  return { ...cleaning, relabel: { ...counts, spent_usd: toUsd(spentMicros) } }
}

const nothing = { upstream: 0, fallback: 0, verified: 0, versions: 0 }

export const render = Rendered.memoize(
  Rendered.by(DatasetVersionResource, (partition: Partition, version: DatasetVersion) => ({
    id: version.id,
    object: "dataset_version",
    livemode: partition.livemode,
    dataset: version.dataset,
    status: version.status,
    from: renderFrom(version.source),
    holdout_fraction: version.holdoutFraction,
    dedupe: version.dedupe,
    redact: version.redact ?? [],
    seed: version.seed,
    rows: version.rows,
    train_rows: version.trainRows,
    holdout_rows: version.holdoutRows,
    tokens: version.tokens,
    content_sha256: version.contentSha256,
    dropped: {
      ...version.dropped,
      unsupported: version.dropped.unsupported ?? 0,
      suspects: version.dropped.suspects ?? 0
    },
    dropped_reasons: version.droppedReasons ?? {},
    near_duplicates: version.nearDuplicates ?? 0,
    contradictions: Contradictions.render(version),
    clean: version.clean ?? "report",
    relabel: renderRelabel(version),
    cleaning: renderCleaning(version),
    reviewed: version.reviewed ?? { corrected: 0, dropped: 0 },
    questions: version.questions ?? [],
    effective_rows: version.effectiveRows ?? version.rows,
    made_of: isWeighed(version.source) ? (version.madeOf ?? nothing) : null,
    templates: version.templates ?? [],
    fields: version.profile?.fieldKinds ?? [],
    warnings: VersionWarnings.of(version),
    error: version.error,
    created_at: toIso(version.createdAt),
    updated_at: toIso(version.updatedAt)
  }))
)

/** The upload's row plus `split`. A row is parsed only when it is written, and a long one takes turns of its own. */
class WrittenRow extends JsonPieces.JsonWriter {
  readonly #row: StoredRow

  constructor(row: StoredRow) {
    super()
    this.#row = row
  }

  *pieces(): Generator<string, void, void> {
    const { body, split } = this.#row
    const read = (): Schema.JsonObject => ({ ...JSON.parse(body), split })
    if (body.length < JsonPieces.pieceLength) return yield JSON.stringify(read())
    yield ""
    yield* JsonPieces.of(read())
  }
}

export const renderRow = (row: StoredRow): JsonPieces.JsonWriter => new WrittenRow(row)

export const eventsOf = (partition: Partition, version: DatasetVersion): ReadonlyArray<EventDraft> =>
  version.status === "building"
    ? []
    : [{ type: `distill.dataset_version.${version.status}`, object: render(partition, version) }]
