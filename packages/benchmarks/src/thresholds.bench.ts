/**
 * What reports recommend on random holdouts of public texts beside what is possible in hindsight, for teachers with 0 to 20 percent of
 * random errors, and how often the cascade is worse than promised. Parts: names of sets. BENCH_DRAWS: holdouts of each size.
 */
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"
import * as ThresholdTrials from "./ThresholdTrials.ts"

const noises = [0, 0.05, 0.1, 0.2]
const sizes = [100, 300, 600]
const draws = Number(process.env["BENCH_DRAWS"] ?? 400)
const seed = 28

interface Line {
  readonly name: string
  readonly noise: number
  readonly possible: number
  readonly trials: ReadonlyArray<ThresholdTrials.Trials>
}

/** The answers to fresh rows of a student whose teacher errs that often. */
const predictionsOf = async (name: string, noise: number): Promise<ReadonlyArray<ThresholdTrials.Prediction>> => {
  const texts = StudentSet.read(name)
  const labels = [...new Set(texts.map(({ gold }) => gold))].sort()
  const next = ThresholdTrials.uniformOf(seed)
  const taught = texts.map((text) => ({ ...text, teacher: ThresholdTrials.answerOf(text.gold, labels, noise, next) }))
  const [wrapping] = StudentSet.wrappings
  if (wrapping === undefined) throw new Error("there is no wrapping")
  return StudentTrial.answersOf(taught, wrapping)
}

const linesOf = async (name: string): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  for (const noise of noises) {
    const rows = await predictionsOf(name, noise)
    lines.push({
      name,
      noise,
      possible: ThresholdTrials.possible(rows, noise),
      trials: sizes.map((size) => ThresholdTrials.of(rows, noise, size, draws))
    })
  }
  return lines
}

const columns = ({ name, noise, possible, trials }: Line): ReadonlyArray<string> => [
  name,
  Table.percent(noise),
  Table.percent(possible),
  ...trials.flatMap(({ broken, share, uncovered }) => [
    Table.percent(share),
    Table.percent(broken),
    Table.percent(uncovered)
  ])
]

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, one) => sum + one, 0) / values.length

const summary = (lines: ReadonlyArray<Line>): ReadonlyArray<ReadonlyArray<string>> =>
  sizes.map((size, at) => {
    const of = (value: (trials: ThresholdTrials.Trials) => number) => lines.map(({ trials }) => value(trials[at]!))
    const ratio = mean(of(({ share }) => share)) / mean(lines.map(({ possible }) => possible))
    const broken = of((trials) => trials.broken)
    return [
      Table.figure(size),
      Table.figure(ratio, 2),
      Table.percent(mean(broken)),
      Table.percent(Math.max(...broken)),
      Table.percent(mean(of((trials) => trials.uncovered)))
    ]
  })

export const main = async (names: ReadonlyArray<string>): Promise<void> => {
  const lines: Array<Line> = []
  for (const name of Object.keys(await StudentSet.prepare(names))) lines.push(...(await linesOf(name)))
  const perSize = sizes.flatMap((size) => [`${size}: share`, "broken", "missed"])
  Table.print(
    `recommended shares, ${draws} holdouts each`,
    ["set", "errors", "possible", ...perSize],
    lines.map(columns)
  )
  Table.print(
    "all sets and teachers",
    ["holdout", "recommended / possible", "broken, mean", "broken, worst", "missed, mean"],
    summary(lines)
  )
}
