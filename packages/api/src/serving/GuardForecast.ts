/** How many comparisons a guard lacks before it can tell a student's agreement from its floor. Pure. */
import * as AgreementRules from "@limbeck/serving/guard/AgreementRules"

interface KnownAgreement {
  readonly value: number
  readonly comparisons: number
}

/** More comparisons than this are out of a deployment's reach. */
const comparisonsMax = 1_000_000

/** Whether the interval after so many comparisons, all of this agreement, leaves the floor out. */
const tells = (value: number, compared: number, floor: number): boolean => {
  const agreement = AgreementRules.agreementOf(AgreementRules.of({ compared, agreed: Math.round(value * compared) }))
  return agreement !== null && (agreement.low >= floor || agreement.high < floor)
}

/**
 * About how many more comparisons with the same share of agreement the guard needs. Null: the agreement is too near to the floor.
 *
 * @example
 * comparisonsUntilKnown({ value: 0.97, comparisons: 100 }, 0.9) // 126
 */
export const comparisonsUntilKnown = ({ comparisons, value }: KnownAgreement, floor: number): number | null => {
  let [low, high] = [comparisons, Math.max(1, comparisons)]
  while (!tells(value, high, floor)) {
    if (high > comparisonsMax) return null
    low = high
    high *= 2
  }
  // Counts are whole, so a number between may fail again: to a tenth is close enough.
  while (high - low > Math.max(1, high / 10)) {
    const middle = Math.round((low + high) / 2)
    if (tells(value, middle, floor)) high = middle
    else low = middle
  }
  return high - comparisons
}
