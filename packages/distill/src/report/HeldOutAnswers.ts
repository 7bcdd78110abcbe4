/**
 * On which held-out prompts a student agrees with its teacher, so that two students are compared on the prompts that both
 * answered (contract 16.36). Pure.
 */
import * as Schema from "effect/Schema"

/** Prompts of a student that are kept: enough to tell a difference of two points. */
const promptsMax = 2_000

/** By ascending key: the key of a prompt, then `+` where student and teacher agree, `-` where they differ. */
export const HeldOutAnswers = Schema.Array(Schema.String)
export type HeldOutAnswers = typeof HeldOutAnswers.Type

export interface HeldOutAnswer {
  /** Of the prompt, in hexadecimal. Absent for a row without a prompt. */
  readonly heldOutKey?: string | undefined
  readonly agrees: boolean
}

/** The first answer to each prompt. Of too many the lowest keys stay, which two students have in common. */
export const of = (answers: ReadonlyArray<HeldOutAnswer>): HeldOutAnswers => {
  const byKey = new Map<string, boolean>()
  for (const { agrees, heldOutKey } of answers) {
    if (heldOutKey !== undefined && !byKey.has(heldOutKey)) byKey.set(heldOutKey, agrees)
  }
  return [...byKey]
    .map(([key, agrees]) => `${key}${agrees ? "+" : "-"}`)
    .toSorted()
    .slice(0, promptsMax)
}

export interface PairedComparison {
  /** Prompts that both answered. */
  readonly rows: number
  /** Of these, prompts on which the first, and the second, agrees with its teacher. */
  readonly first: number
  readonly second: number
  /** The 95 % interval of the second's agreement less the first's. */
  readonly low: number
  readonly high: number
}

/** The 97.5 % point of the standard normal distribution. */
const z = 1.959963984540054

/**
 * Paired: only prompts on which the two differ tell them apart. The interval is the adjusted Wald interval for paired
 * proportions (Bonett and Price 2012). Undefined without common prompts.
 */
export const compare = (first: HeldOutAnswers, second: HeldOutAnswers): PairedComparison | undefined => {
  const agreed = new Map(first.map((answer) => [answer.slice(0, -1), answer.endsWith("+")]))
  const pairs = second.flatMap((answer) => {
    const before = agreed.get(answer.slice(0, -1))
    return before === undefined ? [] : [{ before, after: answer.endsWith("+") }]
  })
  if (pairs.length === 0) return undefined
  const count = (isCounted: (pair: (typeof pairs)[number]) => boolean) => pairs.filter(isCounted).length
  const size = pairs.length + 2
  const gained = (count(({ after, before }) => after && !before) + 1) / size
  const lost = (count(({ after, before }) => before && !after) + 1) / size
  const reach = z * Math.sqrt((gained + lost - (gained - lost) ** 2) / size)
  return {
    rows: pairs.length,
    first: count(({ before }) => before),
    second: count(({ after }) => after),
    low: Math.max(-1, gained - lost - reach),
    high: Math.min(1, gained - lost + reach)
  }
}
