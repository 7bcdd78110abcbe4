/**
 * Simulated deployments under a guard, comparison by comparison, with seeds. The floor is the lower bound of a holdout that is drawn
 * anew for each deployment; the guard looks after each comparison that disagrees, as often as a server can.
 */
import * as AgreementCurve from "@limbeck/distill/report/AgreementCurve"
import * as AgreementRules from "@limbeck/serving/guard/AgreementRules"
import { luck } from "@limbeck/testing/random/Luck"

/** By how much a student's agreement differs from its first one, at a comparison. */
type Shape = (comparison: number) => number

/** Comparisons before a change. */
const changeAt = 1_000
/** Comparisons of a slow fall from its beginning to its end. */
const slowFor = 1_000
/** Comparisons within which a fall is to be found. */
const within = 500
const fall = 0.1

const steady: Shape = () => 0

/** Of 50 comparisons a day: five days above the mean and two below it, four points apart. */
const weekly: Shape = (comparison) => (comparison % 350 < 250 ? 0.04 * (2 / 7) : -0.04 * (5 / 7))

const sudden: Shape = (comparison) => (comparison < changeAt ? 0 : -fall)

const slow: Shape = (comparison) => -fall * Math.min(1, Math.max(0, (comparison - changeAt) / slowFor))

/** Shapes without a fall for `comparisons`, and the comparison at which a fall is whole. */
const shapes = {
  steady: { shape: steady, comparisons: 2_000, wholeAt: null },
  weekly: { shape: weekly, comparisons: 2_000, wholeAt: null },
  sudden: { shape: sudden, comparisons: changeAt + within, wholeAt: changeAt },
  slow: { shape: slow, comparisons: changeAt + slowFor + within, wholeAt: changeAt + slowFor }
} as const satisfies Record<string, { shape: Shape; comparisons: number; wholeAt: number | null }>

export type ShapeName = keyof typeof shapes

export interface Deployed {
  /** Rows of the holdout. */
  readonly rows: number
  /** The agreement of the student when it is deployed. */
  readonly agreement: number
}

const lowOf = (agreed: number, answered: number): number => AgreementCurve.intervalOf({ agreed, answered })?.low ?? 0

/** The agreement whose holdout has this lower bound. */
export const agreementAt = (floor: number, rows: number): number => {
  let [low, high] = [floor, 1]
  for (let halving = 0; halving < 30; halving++) {
    const middle = (low + high) / 2
    if (lowOf(middle * rows, rows) < floor) low = middle
    else high = middle
  }
  return low
}

/** After how many comparisons a deployment is guarded; null: never. */
export const guardedAfter = (name: ShapeName, { agreement, rows }: Deployed, seed: number): number | null => {
  const { comparisons, shape } = shapes[name]
  const next = luck(seed)
  let agreed = 0
  for (let row = 0; row < rows; row++) agreed += Number(next() < agreement)
  const asked = { evidence: { compared: rows, agreed }, floor: lowOf(agreed, rows), isGiven: false }
  let known = AgreementRules.none
  for (let nth = 0; nth < comparisons; nth++) {
    const agrees = next() < agreement + shape(nth)
    known = AgreementRules.add(known, agrees)
    if (!agrees && AgreementRules.isBreached(known, asked)) return nth + 1
  }
  return null
}

export interface Outcome {
  /** Share guarded before any change, or at all where nothing changes. */
  readonly falseAlarms: number
  /** Of the others: the share found in time; null where nothing changes. */
  readonly found: number | null
}

/** The same for the same number of deployments. */
export const outcomeOf = (name: ShapeName, deployed: Deployed, deployments: number): Outcome => {
  const { wholeAt } = shapes[name]
  const all = Array.from({ length: deployments }, (_, nth) => guardedAfter(name, deployed, nth + 1))
  const isEarly = (at: number | null) => at !== null && (wholeAt === null || at <= changeAt)
  const others = all.filter((at) => !isEarly(at))
  return {
    falseAlarms: (all.length - others.length) / all.length,
    found: wholeAt === null ? null : others.filter((at) => at !== null).length / Math.max(1, others.length)
  }
}
