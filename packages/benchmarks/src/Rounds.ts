/** Several things measured in turn, round by round, each beside the bare one of its group in the same round. Pure but for `run`. */

export interface Sample {
  readonly perSecond: number
  /** CPU time of the process under test and of its Postgres, for each operation. */
  readonly cpuMicrosEach: number
}

export interface Contestant {
  readonly group: string
  readonly name: string
  /** The baseline of its group: the minimum cost of the work. Each group has one. */
  readonly isBare: boolean
  readonly measure: () => Promise<Sample>
}

/** Of the rounds. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export interface Line {
  readonly group: string
  readonly name: string
  readonly perSecond: Spread
  readonly cpuMicrosEach: Spread
  /** Relative to the bare line of the same round. */
  readonly rateToBare: Spread
  readonly cpuToBare: Spread
}

/** What each contestant came to in each round, in their order. */
export type Samples = ReadonlyMap<Contestant, ReadonlyArray<Sample>>

export const spreadOf = (values: ReadonlyArray<number>): Spread => {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (index: number) => sorted[index] ?? Number.NaN
  const half = (sorted.length - 1) / 2
  return { median: (at(Math.floor(half)) + at(Math.ceil(half))) / 2, least: at(0), most: at(sorted.length - 1) }
}

/** The relative distance between the greatest and the least. */
const movedBy = ({ least, most }: Spread): number => most / least - 1

const bareOf = (samples: Samples, group: string): ReadonlyArray<Sample> => {
  const found = [...samples].find(([contestant]) => contestant.group === group && contestant.isBare)
  if (found === undefined) throw new Error(`The group ${group} has nothing bare`)
  return found[1]
}

export const linesOf = (samples: Samples): ReadonlyArray<Line> =>
  [...samples].map(([{ group, name }, own]) => {
    const bare = bareOf(samples, group)
    const toBare = (of: (sample: Sample) => number) =>
      spreadOf(own.flatMap((sample, round) => (bare[round] === undefined ? [] : [of(sample) / of(bare[round])])))
    return {
      group,
      name,
      perSecond: spreadOf(own.map(({ perSecond }) => perSecond)),
      cpuMicrosEach: spreadOf(own.map(({ cpuMicrosEach }) => cpuMicrosEach)),
      rateToBare: toBare(({ perSecond }) => perSecond),
      cpuToBare: toBare(({ cpuMicrosEach }) => cpuMicrosEach)
    }
  })

/** A bare line that moves more than this between rounds shows the machine's noise. */
const movedMax = 0.2

const moved = (bare: ReadonlyArray<Sample>): number =>
  Math.max(
    movedBy(spreadOf(bare.map(({ perSecond }) => perSecond))),
    movedBy(spreadOf(bare.map(({ cpuMicrosEach }) => cpuMicrosEach)))
  )

/** Why the figures are invalid: one sentence for each unsteady bare line. */
export const unsteady = (samples: Samples): ReadonlyArray<string> =>
  [...samples].flatMap(([{ isBare, name }, own]) =>
    isBare && !(moved(own) <= movedMax) ? [`${name} moved by ${Math.round(moved(own) * 100)} % between rounds`] : []
  )

/** The largest set of rounds with a steady bare line. */
const steady = (bare: ReadonlyArray<Sample>): ReadonlyArray<number> => {
  const isWithin = (least: number, value: number) => value >= least && value <= least * (1 + movedMax)
  const found = bare.flatMap(({ perSecond }) =>
    bare.map(({ cpuMicrosEach }) =>
      bare.flatMap((sample, round) =>
        isWithin(perSecond, sample.perSecond) && isWithin(cpuMicrosEach, sample.cpuMicrosEach) ? [round] : []
      )
    )
  )
  return found.reduce((longest, rounds) => (rounds.length > longest.length ? rounds : longest), [])
}

export interface Limits {
  /** How many each group shall have between which its bare one held still. */
  readonly rounds: number
  /** How many there are at most. A group that did not get its rounds by then has as many of its first ones, and is unsteady. */
  readonly roundsMax: number
}

/**
 * Measures each contestant once per round, after one uncounted warm-up. Noise of the machine spoils single rounds: a group
 * is repeated until its bare line has enough similar rounds, and the others are dropped.
 */
export const run = async (contestants: ReadonlyArray<Contestant>, { rounds, roundsMax }: Limits): Promise<Samples> => {
  const taken = new Map<Contestant, Array<Sample>>(contestants.map((contestant) => [contestant, []]))
  for (const contestant of contestants) await contestant.measure()
  const isOpen = ({ group }: Contestant) => steady(bareOf(taken, group)).length < rounds
  for (let round = 0; round < roundsMax; round++) {
    const open = contestants.filter(isOpen)
    for (const contestant of open) taken.get(contestant)?.push(await contestant.measure())
  }
  return new Map(
    [...taken].map(([contestant, own]) => {
      const alike = steady(bareOf(taken, contestant.group))
      const kept = alike.length < rounds ? [...own.keys()] : alike
      return [contestant, kept.slice(0, rounds).map((round) => own[round]!)]
    })
  )
}
