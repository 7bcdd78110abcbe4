/** A suspect as its list shows it. */
import * as Rendered from "@limbeck/core/resources/Rendered"
import * as Schema from "effect/Schema"
import type { StoredRow } from "../dataset/RowStore.ts"
import { RelabelOutcome } from "./RelabelRules.ts"

const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const Neighbour = Schema.Struct({
  text: Schema.String.annotate({ description: "The beginning of the row's last message" }),
  answer: Schema.String,
  similarity: Share.annotate({ description: "Cosine of the two rows' features" })
})

const Relabel = Schema.Struct({
  outcome: RelabelOutcome,
  answers: Schema.Array(Schema.NullOr(Schema.String)).annotate({
    description: "The teacher's new answers, at most two: the first decides where it equals the row's. null: none came"
  })
})

/** The stored part: all but the row's text, which stays as it was uploaded. */
export const StoredSuspect = Schema.Struct({
  position: Schema.Int.annotate({ description: "From 1, the most suspicious first" }),
  row_key: Schema.String.annotate({ description: "Names the row within its version" }),
  answer: Schema.String,
  suggested: Schema.String.annotate({ description: "The most probable other answer" }),
  confidence: Share.annotate({ description: "Of the suggested answer, by a model that has not learnt from the row" }),
  score: Share.annotate({ description: "By how much the suggested answer is more probable than the row's" }),
  confident: Schema.Boolean.annotate({
    description: 'Whether the answer is more likely wrong than hard to know: `clean: "drop"` leaves only these out'
  }),
  neighbours: Schema.Array(Neighbour).annotate({
    description: "The most similar train rows; empty beyond the first suspects"
  }),
  relabel: Schema.optionalKey(Relabel)
})
export type StoredSuspect = typeof StoredSuspect.Type

export const SuspectResource = Schema.Struct({
  object: Schema.Literal("suspect"),
  ...StoredSuspect.fields,
  relabel: Schema.NullOr(Relabel).annotate({
    description: 'What `clean: "relabel"` has made of the row; null without it'
  }),
  row: Schema.JsonObject.annotate({ description: "As the version had it" })
}).annotate({ identifier: "Suspect" })

/** The suspect as JSON text with the row's own text inside. */
export const write = (suspect: StoredSuspect, row: string): string =>
  `${JSON.stringify(suspect).slice(0, -1)},"row":${row}}`

export const render = Rendered.by(SuspectResource, ({ body }: StoredRow) => ({
  object: "suspect",
  relabel: null,
  // `write` wrote it.
  ...(JSON.parse(body) as StoredSuspect & { readonly row: Schema.JsonObject })
}))
