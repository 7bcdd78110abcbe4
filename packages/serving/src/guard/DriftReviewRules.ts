/**
 * When a deployment's calls are compared, and which difference is drift: at most 1 of 100 deployments whose calls stay of one
 * kind is found to drift, however often it is looked at. Pure.
 */
import type { Deployment } from "../deployment/Deployment.ts"
import * as CallDriftRules from "./CallDriftRules.ts"
import * as LabelShiftRules from "./LabelShiftRules.ts"

/** The probability of a false alarm over all looks together. */
const errorMax = 0.01
/** New calls between two looks: a fifth of the last window. */
export const callsPerLook = 100

/** The looks at a deployment's calls since its comparison began. */
export interface Looks {
  readonly count: number
  /** The id of the last call of the last look; null before the first. */
  readonly upTo: string | null
}

export const noLooks: Looks = { count: 0, upTo: null }

/** The allowed error of a look, counted from 1: the sum over all looks is `errorMax`. */
export const levelOf = (look: number): number => errorMax / (look * (look + 1))

/** Calls are compared until drift is found; then a person decides. */
export const isReviewed = ({ driftedAt, mode, status }: Deployment): boolean =>
  status === "ready" && mode === "active" && driftedAt === null

/** The answers of calls by id: the same number for the same label. A call without a label has none. */
export type Answers = ReadonlyMap<string, number>

/** Whether there are calls enough for another look. */
export const isDue = ({ upTo }: Looks, windows: CallDriftRules.Windows): boolean =>
  CallDriftRules.isFull(windows) && (upTo === null || windows.now.filter(({ id }) => id > upTo).length >= callsPerLook)

const labelsOf = (calls: CallDriftRules.Windows["now"], answers: Answers): ReadonlyArray<number> =>
  calls.flatMap(({ id }) => answers.get(id) ?? [])

/** The share of the fallback, the confidence and the labels have a third of the error each (Bonferroni). */
const isDrift = (windows: CallDriftRules.Windows, answers: Answers, level: number): boolean => {
  const { confidence, fallbackShare } = CallDriftRules.driftOf(windows)
  const labels = LabelShiftRules.byChance(labelsOf(windows.before, answers), labelsOf(windows.now, answers))
  return [confidence?.byChance ?? 1, fallbackShare?.byChance ?? 1, labels].some((chance) => chance <= level / 3)
}

/** Null: too few new calls for another look. */
export const look = (
  before: Looks,
  windows: CallDriftRules.Windows,
  answers: Answers
): { readonly looks: Looks; readonly isDrifted: boolean } | null => {
  const last = windows.now.at(-1)
  if (last === undefined || !isDue(before, windows)) return null
  const count = before.count + 1
  return { looks: { count, upTo: last.id }, isDrifted: isDrift(windows, answers, levelOf(count)) }
}
