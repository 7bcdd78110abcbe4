/**
 * The agreement of a student with its teacher, with a confidence sequence, valid at every moment: one may look after each
 * comparison and stop at any time. Pure.
 *
 * Each candidate agreement `m` is tested by a bet against it. For an alternative `m - d`, each comparison multiplies the
 * wealth by the likelihood of its outcome under `m - d` over that under `m`. While the agreement is `m` or more in each
 * comparison, the wealth is not expected to grow, and so reaches 1/a with a probability of at most a (Ville, 1939). Bets on
 * several `d` are mixed (Robbins, 1970; Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting",
 * 2024). A student with a long good history would first have to lose all that wealth, so a part of the stake waits and is
 * bet block by block, each on later comparisons (Shin, Ramdas and Rinaldo, "E-detectors", 2022).
 */

export interface Tally {
  readonly compared: number
  readonly agreed: number
}

/** Comparisons in order, by blocks. All but the last are full; the first holds all older ones. */
export interface Comparisons {
  readonly blocks: ReadonlyArray<Tally>
  /** Blocks merged into the first. */
  readonly merged: number
}

export interface Agreement {
  /** Share of comparisons that say the same. */
  readonly value: number
  /** The interval of the agreement; `high` refers to now, even after a drop. */
  readonly low: number
  readonly high: number
}

/** Names the interval in answers. */
export const method = "betting_confidence_sequence"

/** Comparisons after which a new bet begins. */
const blockSize = 200

/** Beyond this number, old bets are dropped, which keeps intervals valid. */
const blocksMax = 100

/** The error probability of each end of an interval, at any time. */
export interface Errors {
  readonly low: number
  readonly high: number
}

/** The error probability of each end, at any time: 5 % for both, mostly at the end that detects drops. */
const wrongMax: Errors = { low: 0.005, high: 0.045 }

/**
 * Nats of likelihood that tell a fall, beside those of a swing: false in few of 100 students that stay (see `npm run bench --
 * guards`).
 */
export const fallEvidence = 8
/** A difference between the days of a week, which is no fall. */
const swing = 0.02

/** Drops that are bet on, each with its part of the stake. The largest part is on the ten points that a guard is to see. */
const drops: ReadonlyArray<readonly [drop: number, part: number]> = [
  [0.02, 0.05],
  [0.05, 0.15],
  [0.1, 0.65],
  [0.2, 0.15]
]

export const none: Comparisons = { blocks: [], merged: 0 }

export const of = (tally: Tally): Comparisons => ({ blocks: [tally], merged: 0 })

const sum = (one: Tally, other: Tally): Tally => ({
  compared: one.compared + other.compared,
  agreed: one.agreed + other.agreed
})

const merge = ({ blocks: [first, second, ...others], merged }: Comparisons): Comparisons =>
  first === undefined || second === undefined || others.length + 2 <= blocksMax
    ? { blocks: [first, second, ...others].filter((block) => block !== undefined), merged }
    : { blocks: [sum(first, second), ...others], merged: merged + 1 }

/** With one comparison more. */
export const add = ({ blocks, merged }: Comparisons, agrees: boolean): Comparisons => {
  const last = blocks.at(-1)
  const isFull = last === undefined || last.compared >= blockSize
  const next = sum(isFull ? { compared: 0, agreed: 0 } : last, { compared: 1, agreed: agrees ? 1 : 0 })
  return merge({ blocks: [...(isFull ? blocks : blocks.slice(0, -1)), next], merged })
}

/**
 * Turns a difference into agreement, or the reverse, in the newest possible block: comparisons keep no reference to their block.
 * Undefined without such a comparison.
 */
export const recount = ({ blocks, merged }: Comparisons, asAgreement: boolean): Comparisons | undefined => {
  const place = blocks.findLastIndex(({ agreed, compared }) => (asAgreement ? agreed < compared : agreed > 0))
  if (place < 0) return undefined
  const change = asAgreement ? 1 : -1
  return {
    blocks: blocks.map((block, at) => (at === place ? { ...block, agreed: block.agreed + change } : block)),
    merged
  }
}

export const totalOf = ({ blocks }: Comparisons): Tally => blocks.reduce(sum, { compared: 0, agreed: 0 })

/** What a stake of 1 on drops below `share` has become. */
const wealthOf = ({ agreed, compared }: Tally, share: number): number => {
  const missed = compared - agreed
  if (share >= 1) return missed > 0 ? Number.POSITIVE_INFINITY : 1
  return drops.reduce((wealth, [drop, part]) => {
    const lower = Math.max(share - drop, share / 2)
    const grown = agreed * Math.log(lower / share) + missed * Math.log((1 - lower) / (1 - share))
    return wealth + part * Math.exp(grown)
  }, 0)
}

/** The part of the stake on the beginning. */
const firstStake = 0.2

/** The rest is on later blocks, the sooner the more: all parts together are 1. */
const stakeAt = (block: number): number => (block === 0 ? firstStake : (1 - firstStake) / (block * (block + 1)))

/** The wealth of all bets against an agreement of `share` or more, without the part that waits for later blocks. */
const wealth = (comparisons: Comparisons, share: number): number => {
  const { blocks, merged } = comparisons
  let since: Tally = { compared: 0, agreed: 0 }
  let total = 0
  for (let at = blocks.length - 1; at >= 0; at--) {
    since = sum(since, blocks[at] ?? since)
    total += stakeAt(at === 0 ? 0 : merged + at) * wealthOf(since, share)
  }
  return total
}

/** Whether the agreement has almost certainly not stayed at `floor` or above. */
export const isBelow = (comparisons: Comparisons, floor: number, { high }: Pick<Errors, "high"> = wrongMax): boolean =>
  floor > 0 && wealth(comparisons, floor) >= 1 / high

/** The log likelihood of a tally at its own share. */
const likelihood = ({ agreed, compared }: Tally): number => {
  const missed = compared - agreed
  const part = (count: number) => (count === 0 ? 0 : count * Math.log(count / compared))
  return part(agreed) + part(missed)
}

/** The nats that a swing gives to a block of comparisons with this share of agreement: the more, the higher the share. */
const swingEvidence = ({ agreed, compared }: Tally): number => {
  const variance = (agreed / compared) * (1 - agreed / compared)
  return variance === 0 ? 0 : (blockSize * swing ** 2) / (2 * variance)
}

/**
 * Whether the agreement has fallen below `floor`: for some block, the comparisons since are below the floor and so far below
 * all before them, `before` and the holdout, that one share for both is too unlikely (the likelihood ratio for a change point;
 * Page 1954, Lorden 1971). A student well above its floor is known to have fallen long before a bet against the floor is won.
 */
export const hasFallen = (
  { blocks }: Comparisons,
  floor: number,
  before: Tally,
  evidence: number = fallEvidence
): boolean => {
  const all = blocks.reduce(sum, before)
  const joint = likelihood(all)
  const needed = evidence + swingEvidence(all)
  let since: Tally = { compared: 0, agreed: 0 }
  for (const block of blocks.toReversed()) {
    since = sum(since, block)
    const until = { compared: all.compared - since.compared, agreed: all.agreed - since.agreed }
    if (until.compared === 0) return false
    const share = since.agreed / since.compared
    const isLower = share < floor && share < until.agreed / until.compared
    if (isLower && likelihood(since) + likelihood(until) - joint >= needed) return true
  }
  return false
}

export interface RequestedFloor {
  readonly floor: number
  /** Whether its owner gave the floor; else it is the lower bound of the evidence. */
  readonly isGiven: boolean
  /** What the student went active with. */
  readonly evidence: Tally
}

/**
 * Whether the student is below its floor. A given floor is breached by the confidence interval alone, at the stated error; a fall
 * from the evidence breaches a default floor, too.
 */
export const isBreached = (comparisons: Comparisons, { evidence, floor, isGiven }: RequestedFloor): boolean =>
  isBelow(comparisons, floor) || (!isGiven && hasFallen(comparisons, floor, evidence))

/** Halvings of an interval until its end is exact in every displayed digit. */
const halvings = 30

/** The smallest share that `isRefuted` holds for; it holds for all that are larger. 1: for none. */
const firstRefuted = (isRefuted: (share: number) => boolean): number => {
  let [low, high] = [0, 1]
  for (let step = 0; step < halvings; step++) {
    const middle = (low + high) / 2
    if (isRefuted(middle)) high = middle
    else low = middle
  }
  return high
}

/** After each period: the agreement of all comparisons until then. */
export const over = <Period extends Tally>(periods: ReadonlyArray<Period>) => {
  let total: Tally = { compared: 0, agreed: 0 }
  return periods.flatMap((period) => {
    total = sum(total, period)
    const agreement = agreementOf(of(total))
    return agreement === null ? [] : [{ period, agreement }]
  })
}

/** Null where nothing was compared. */
export const agreementOf = (comparisons: Comparisons, errors: Errors = wrongMax): Agreement | null => {
  const { agreed, compared } = totalOf(comparisons)
  if (compared === 0) return null
  const missed = { compared, agreed: compared - agreed }
  return {
    value: agreed / compared,
    low: 1 - firstRefuted((share) => wealthOf(missed, share) >= 1 / errors.low),
    high: firstRefuted((share) => isBelow(comparisons, share, errors))
  }
}
