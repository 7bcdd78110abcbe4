/** Pace of the people at a review queue, and their agreement on the entries that two of them judged. Pure. */
import type { Giver } from "@limbeck/capture/feedback/Feedback"
import type { Millis } from "@limbeck/core/time/Timestamp"
import { ServingLimits } from "../Limits.ts"
import type { Entry, ReviewQueue, Verdict } from "./ReviewQueue.ts"
import * as ReviewRules from "./ReviewRules.ts"

interface ReviewerFigures {
  readonly by: Giver
  /** Verdicts, skipped entries included. */
  readonly verdicts: number
  readonly skipped: number
  /** Verdicts per minute of work: a pause of a lease or longer is none. Null before the second verdict. */
  readonly perMinute: number | null
}

export interface ReviewFigures {
  readonly judged: number
  readonly gone: number
  readonly people: ReadonlyArray<ReviewerFigures>
  /** Entries with two verdicts, and those whose verdicts agree. */
  readonly pairs: number
  readonly agreed: number
}

const minuteMillis = 60_000

const paceOf = (times: ReadonlyArray<Millis>): number | null => {
  const sorted = times.toSorted((a, b) => a - b)
  const steps = sorted
    .slice(1)
    .map((time, at) => time - sorted[at]!)
    .filter((millis) => millis < ServingLimits.reviewLeaseMillis)
  const worked = steps.reduce((sum, millis) => sum + millis, 0)
  return worked === 0 ? null : steps.length / (worked / minuteMillis)
}

const isJudgement = ({ verdict }: Verdict): boolean => verdict !== "skip"

/** Whether both call the answer right, or both wrong; with two corrections, the same one. */
const agree = (one: Verdict, other: Verdict): boolean => {
  if ((one.verdict === "right") !== (other.verdict === "right")) return false
  return one.answerDigest === null || other.answerDigest === null || one.answerDigest === other.answerDigest
}

const pairOf = ({ verdicts }: Entry): readonly [Verdict, Verdict] | undefined => {
  const [one, other] = verdicts.filter(isJudgement)
  return one === undefined || other === undefined ? undefined : [one, other]
}

export const of = ({ entries }: ReviewQueue): ReviewFigures => {
  const byPerson: Array<{ readonly by: Giver; readonly verdicts: Array<Verdict> }> = []
  for (const verdict of entries.flatMap(({ verdicts }) => verdicts)) {
    const known = byPerson.find(({ by }) => ReviewRules.isSameGiver(by, verdict.by))
    if (known === undefined) byPerson.push({ by: verdict.by, verdicts: [verdict] })
    else known.verdicts.push(verdict)
  }
  const pairs = entries.map(pairOf).filter((pair) => pair !== undefined)
  return {
    judged: entries.filter(({ verdicts }) => verdicts.some(isJudgement)).length,
    gone: entries.filter(({ isGone }) => isGone).length,
    people: byPerson.map(({ by, verdicts }) => ({
      by,
      verdicts: verdicts.length,
      skipped: verdicts.filter((verdict) => !isJudgement(verdict)).length,
      perMinute: paceOf(verdicts.map(({ givenAt }) => givenAt))
    })),
    pairs: pairs.length,
    agreed: pairs.filter(([one, other]) => agree(one, other)).length
  }
}
