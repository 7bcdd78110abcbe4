/** The trials of a training: a run tries several paces, and learns from parts of the rows, before it trains for good. Pure. */

interface Point {
  readonly step: number
  readonly value: number
}

/** The trial of a step, by the series that counts trials; the API thins series, so the last count before the step holds. */
const countAt = (counts: ReadonlyArray<Point>, step: number): number =>
  counts.findLast((point) => point.step <= step)?.value ?? 0

/**
 * The points of each trial, with steps that begin at 1. `counts`: the series `trial` of the stage; without it, a trial begins
 * where steps begin anew.
 */
export const trialsOf = (
  points: ReadonlyArray<Point>,
  counts: ReadonlyArray<Point> = []
): ReadonlyArray<ReadonlyArray<Point>> => {
  const trials: Array<Array<Point>> = []
  for (const point of points) {
    const trial = trials.at(-1)
    const last = trial?.at(-1)
    const isNext =
      last === undefined || point.step <= last.step || countAt(counts, point.step) !== countAt(counts, last.step)
    if (trial === undefined || isNext) trials.push([point])
    else trial.push(point)
  }
  const firstOf = (trial: ReadonlyArray<Point>) => (counts.length === 0 ? 1 : (trial[0]?.step ?? 1))
  return trials.map((trial) => trial.map(({ step, value }) => ({ step: step + 1 - firstOf(trial), value })))
}

interface TrialLines {
  /** Steps of any trial, ascending. */
  readonly steps: ReadonlyArray<number>
  /** Of each trial, its value at each step; null where it has none. */
  readonly values: ReadonlyArray<ReadonlyArray<number | null>>
}

/** The trials over one axis of steps. */
export const linesOf = (trials: ReadonlyArray<ReadonlyArray<Point>>): TrialLines => {
  const steps = [...new Set(trials.flat().map(({ step }) => step))].sort((left, right) => left - right)
  const values = trials.map((trial) => {
    const byStep = new Map(trial.map(({ step, value }) => [step, value]))
    return steps.map((step) => byStep.get(step) ?? null)
  })
  return { steps, values }
}
