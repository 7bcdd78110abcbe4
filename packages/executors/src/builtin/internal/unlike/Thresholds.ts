/** The thresholds of a student: held-back rows, as they are and with harmless changes, stay but for a small share. */
import * as Judging from "./Judging.ts"

/** The shares of held-back texts that a threshold sends away. Typing errors may cost twice as many. */
const shares = { likeness: 0.006, lead: 0.01, unknown: 0.015, signs: 0.005, lowestUnknown: 0.006 }
const typosFactor = 2
/** The share of held-back texts without a known feature up to which such a text is unlike the rows. */
const unknownMax = 0.05
/** Train rows show only a part of their world, so inputs somewhat below the held-back rows still belong to it. */
const margin = 0.1
/** Less evidence than this is unlike the rows, unless more than a few of them have as little. */
const evidenceMin = -3.2
/** More evidence than this is never unlike the rows. */
const evidenceMax = -1.8
/** The least share of signs that is new, and its distance from the rows' own. */
const signsMin = 0.5
const signsMargin = 0.05

/** Of rows held back: as they are, with surroundings, and with typing errors. */
export interface HeldBack {
  readonly plain: ReadonlyArray<Judging.Judgements>
  readonly surrounded: ReadonlyArray<Judging.Judgements>
  readonly typos: ReadonlyArray<Judging.Judgements>
}

type ValueOf = (judgements: Judging.Judgements) => number

/**
 * Of the texts with a known feature: a text without any is unlike the rows by itself. Null where more than a few texts have
 * none.
 */
const thresholdOf = (values: ReadonlyArray<number>, share: number): number | null => {
  const scores = values.filter(Number.isFinite).toSorted((a, b) => a - b)
  if (values.length - scores.length > unknownMax * values.length) return null
  const lowest = scores[Math.floor(scores.length * share)]
  const middle = scores[Math.floor(scores.length / 2)]
  return lowest === undefined || middle === undefined ? null : lowest - margin * (middle - lowest)
}

/** The lowest threshold of the kinds of held-back texts; null where the unchanged ones have none. */
const lowestOf = ({ plain, surrounded, typos }: HeldBack, valueOf: ValueOf, share: number): number | null => {
  const lowest = thresholdOf(plain.map(valueOf), share)
  if (lowest === null) return null
  const changed = [
    thresholdOf(surrounded.map(valueOf), share),
    thresholdOf(typos.map(valueOf), typosFactor * share)
  ].flatMap((threshold) => threshold ?? [])
  return Math.min(lowest, ...changed)
}

const evidenceBound = (held: HeldBack, valueOf: ValueOf): number => {
  const lowest = lowestOf(held, valueOf, shares.lowestUnknown) ?? evidenceMin
  const highest = lowestOf(held, valueOf, shares.unknown) ?? evidenceMin
  return Math.min(Math.max(lowest, evidenceMin), highest, evidenceMax)
}

/** From the lowest tenth of the values up to their middle. */
const spreadOf = (values: ReadonlyArray<number>): number => {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b)
  return (sorted[Math.floor(sorted.length / 2)] ?? 0) - (sorted[Math.floor(sorted.length / 10)] ?? 0)
}

/** Likeness and pairs spread alike over the rows. */
const pairWeightOf = (plain: HeldBack["plain"]): number => {
  const parts = plain.flatMap((judgements) => judgements.parts)
  const spread = spreadOf(parts.map(({ pairs }) => pairs))
  return spread === 0 ? 0 : spreadOf(parts.map(({ likeness }) => likeness)) / spread
}

type Thresholds = Pick<Judging.Rules, "evidence" | "lead" | "likeness" | "pairWeight" | "signs">

export const of = (held: HeldBack): Thresholds => {
  const pairWeight = pairWeightOf(held.plain)
  return {
    pairWeight,
    likeness: lowestOf(held, ({ parts }) => Judging.likenessOf(parts, pairWeight), shares.likeness),
    evidence: evidenceBound(held, ({ evidence }) => evidence),
    lead: {
      likeness: lowestOf(held, ({ lead }) => lead.likeness, shares.lead),
      evidence: evidenceBound(held, ({ lead }) => lead.evidence)
    },
    signs: Math.max(
      signsMin,
      signsMargin -
        (thresholdOf(
          held.plain.map(({ signs }) => -signs),
          shares.signs
        ) ?? 0)
    )
  }
}
