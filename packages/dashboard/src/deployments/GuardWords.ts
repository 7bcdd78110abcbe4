/** What a deployment's guard knows, in words. */
import { comparisonsUntilKnown } from "@limbeck/api/serving/GuardForecast"
import type { DeploymentWithFigures } from "@limbeck/client"
import { count, share } from "../parts/Words.ts"

export type Guarded = Pick<DeploymentWithFigures, "agreement" | "guard" | "mode">

/** Two digits, as an estimate deserves. */
const about = (value: number): string => count(Number(value.toPrecision(2)))

const forecastOf = ({ agreement, guard, mode }: Guarded, floor: number): string => {
  if (agreement === null || guard === null) return ""
  const more = comparisonsUntilKnown(agreement, floor)
  if (more === null)
    return "The agreement is too near to the floor of the guard to tell them apart by more comparisons."
  const { verify_percent: percent } = guard
  const answers =
    mode === "active" && percent > 0 && percent < 100
      ? `, which at ${percent} % are about ${about((100 * more) / percent)} answers of the student`
      : ""
  return `It cannot tell yet: about ${about(more)} more comparisons until it can${answers}.`
}

/** Whether the agreement holds, is too low, or is not known well enough, and how much is missing. */
export const guardWords = (deployment: Guarded): string => {
  const { agreement, guard, mode } = deployment
  if (guard === null) return "It is off: nobody watches this student."
  const watch =
    mode === "shadow"
      ? "In shadow each answer of the student is compared with the upstream's."
      : `${guard.verify_percent} % of the student's answers are compared with the upstream's.`
  const floor = guard.min_agreement
  if (agreement === null) return `${watch} Nothing was compared yet.`
  if (agreement.questions.length > 0) return `${watch} Each question has a floor of its own.`
  if (floor === null) return `${watch} There is no floor before the student is active.`
  if (agreement.high < floor) return `${watch} The agreement is below the floor: at most ${share(agreement.high)}.`
  if (agreement.low >= floor) return `${watch} It holds: the agreement is at least ${share(agreement.low)}.`
  return `${watch} ${forecastOf(deployment, floor)}`
}
