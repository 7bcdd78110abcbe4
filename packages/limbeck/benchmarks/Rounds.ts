/** Several things measured in turn, round by round, each beside the bare one of its group in the same round. Pure but for `run`. */

export interface Sample {
  readonly perSecond: number
  /** CPU time of the process under test and of its Postgres, for each operation. */
  readonly cpuMicrosEach: number
}

export interface Contestant {
  readonly group: string
  readonly name: string
  /** What the others of its group are compared with: the least that the work can cost. Each group has one. */
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
  /** Against the bare one of the same round. */
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

/** How far the greatest is above the least, as a share of the least. */
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

/** Bare ones that moved by more than this between rounds tell more of the machine than of what is measured. */
const movedMax = 0.2

/** Why the figures are worth nothing: one sentence for each bare one that did not hold still. */
export const unsteady = (samples: Samples): ReadonlyArray<string> =>
  [...samples].flatMap(([{ isBare, name }, own]) => {
    const moved = Math.max(
      movedBy(spreadOf(own.map(({ perSecond }) => perSecond))),
      movedBy(spreadOf(own.map(({ cpuMicrosEach }) => cpuMicrosEach)))
    )
    return isBare && !(moved <= movedMax) ? [`${name} moved by ${Math.round(moved * 100)} % between rounds`] : []
  })

/** Each contestant once in each round, and once before, which does not count. */
export const run = async (contestants: ReadonlyArray<Contestant>, rounds: number): Promise<Samples> => {
  const samples = new Map<Contestant, Array<Sample>>(contestants.map((contestant) => [contestant, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [contestant, own] of samples) {
      const sample = await contestant.measure()
      if (round > 0) own.push(sample)
    }
  }
  return samples
}
