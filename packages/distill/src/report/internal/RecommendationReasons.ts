/** The sentences of a recommendation: its effect, or what would have to be true for one (contract 16.33). Pure. */
import * as CascadeTest from "../statistics/CascadeTest.ts"

/** What thresholds are tested against. */
export interface TestedReference {
  readonly targetIs: "teacher_itself" | "one" | "reviewed"
  readonly rows: ReadonlyArray<CascadeTest.PairedRow>
  /** Of the test. */
  readonly margin: number
}

interface Bounds {
  readonly value: number
  readonly low: number
  readonly high: number
}

export interface ShownRecommendation {
  readonly threshold: number
  readonly share: Bounds
  readonly agreement: Bounds
  readonly target_is: TestedReference["targetIs"]
  readonly saving_usd_per_month: Bounds | null
}

/** What the saving comes from; null: unknown. */
export interface KnownCosts {
  /** US dollars per 1,000 calls. */
  readonly student: number | null
  readonly teacher: number | null
  /** Calls of the last 30 days. */
  readonly callsPerMonth: number | null
}

/** Points that student and fallback may lose, and the error of the test. */
export interface TestTerms {
  readonly margin: number
  readonly error: number
}

export const nothingEvaluated =
  "Nothing was evaluated: a recommendation needs a live run with a holdout and an eval stage."

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`
const between = ({ high, low }: Bounds): string => `${percent(low)} to ${percent(high)}`
const countRows = (rows: number): string => `${rows} ${rows === 1 ? "row" : "rows"}`
const dollars = (usd: number): string => `$${Number(usd.toPrecision(3))}`

const referenceNames = {
  teacher_itself: "the teacher's second answers",
  one: "the teacher",
  reviewed: "the reviewers"
} as const

const caveats = {
  teacher_itself: " An error that the teacher makes each time does not show by asking it twice: reviewers tell it.",
  one: "",
  reviewed: ""
} as const

/** A reason names the number of missing rows up to this bound; more rows are out of reach. */
const rowsMax = 20_000

/** The least number of rows that passes the test with the same shares of gains and losses; undefined above `rowsMax`. */
const rowsThatPass = (
  { gains, losses, rows }: CascadeTest.TestedThreshold,
  margin: number,
  error: number
): number | undefined => {
  const passes = (size: number): boolean => {
    const scaled = (count: number) => (count * size) / rows
    return CascadeTest.pValue(size, Math.floor(scaled(gains)), Math.ceil(scaled(losses)), margin) <= error
  }
  let [low, high] = [1, 1]
  while (!passes(high)) {
    low = high
    high *= 2
    if (high > rowsMax) return undefined
  }
  // Counts are whole, so a size between may fail again: to a tenth is close enough.
  while (high - low > Math.max(1, high / 10)) {
    const middle = Math.round((low + high) / 2)
    if (passes(middle)) high = middle
    else low = middle
  }
  return high
}

/** Names the rows of a test, and the number of equally weighted rows with the same evidence. */
const rowsTold = (rows: number, tested: number): string =>
  tested === rows ? countRows(rows) : `${countRows(rows)}, which by their weights tell as little as ${tested},`

const once =
  " The teacher was asked once, so its own errors count against the student: 100 reviewed rows show who is right, and " +
  "teacher_repeats of the eval stage shows how often the teacher contradicts itself."

/** `strictest`: the test of the strictest threshold; undefined if there is none. */
export const none = (
  { margin: tested, rows, targetIs }: TestedReference,
  strictest: CascadeTest.TestedThreshold | undefined,
  { error, margin }: TestTerms
): string => {
  if (strictest === undefined) {
    return (
      "The student tells no confidence, so no threshold can be held against it: its endpoint would have to return " +
      "service.confidence or log probabilities."
    )
  }
  // Without errors so many rows tell a student from one that is worse by the margin.
  const needed = Math.ceil(Math.log(error) / Math.log1p(-tested))
  const points = `${100 * margin} points`
  if (strictest.rows < needed) {
    return (
      `No threshold is recommended: of ${rowsTold(rows.length, strictest.rows)} even a student without an error cannot ` +
      `be told from one that loses ${points}. At least ${needed} are needed, ${needed - strictest.rows} more.`
    )
  }
  const { answered, gains, losses, threshold } = strictest
  const more = rowsThatPass(strictest, tested, error)
  const remedy =
    more === undefined
      ? " More holdout rows of this kind do not change that: the student needs more or better train rows."
      : ` If it goes on like that, some ${more} rows would tell, ${Math.max(1, more - strictest.rows)} more.`
  return (
    `No threshold is recommended: at the strictest, ${threshold}, student and fallback together may already be more than ` +
    `${points} worse than the teacher (${losses} of ${answered} answers lost, ${gains} gained).${remedy}${targetIs === "one" ? once : ""}`
  )
}

/** `teacherPer1000`: what the answers of the student would cost the teacher, in US dollars. */
export const costly = (threshold: number, teacherPer1000: number): string =>
  `No threshold is recommended: at ${threshold} the student would cost as much as it saves. It pays below ` +
  `${dollars(teacherPer1000)} per 1,000 calls, all of which it is asked.`

const savingOf = (saving: Bounds | null, { callsPerMonth, student, teacher }: KnownCosts): string => {
  if (teacher === null) return " The saving is unknown, because the cost of the teacher is: its model needs a price."
  if (student === null) return " The saving is unknown, because the cost of the student is: its endpoint needs prices."
  if (callsPerMonth === null || saving === null) {
    return " The saving per month is unknown, because only a version of captured calls tells how many there are."
  }
  return (
    ` At the ${callsPerMonth} calls of the last 30 days it saves ${dollars(saving.value)} a month ` +
    `(${dollars(saving.low)} to ${dollars(saving.high)}).`
  )
}

export const recommendation = (
  { agreement, saving_usd_per_month, share, target_is, threshold }: ShownRecommendation,
  costs: KnownCosts,
  { margin }: TestTerms
): string =>
  `With below_confidence ${threshold} the student answers ${percent(share.value)} of the calls (${between(share)}), and student and ` +
  `fallback together agree with ${referenceNames[target_is]} in ${percent(agreement.value)} (${between(agreement)}). A threshold that ` +
  `loses more than ${100 * margin} points is recommended in at most 1 of 10 cases.${savingOf(saving_usd_per_month, costs)}${caveats[target_is]}`
