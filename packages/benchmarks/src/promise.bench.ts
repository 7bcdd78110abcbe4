/**
 * What reports promise beside what deployments keep, on public texts. For teachers with 0 to 20 percent of random errors: the recommended
 * share of the calls beside what is possible in hindsight, and how often the cascade is worse than promised; the saving promised and
 * measured over 5,000 replayed calls; recommendations under systematic errors, without and with the verdicts of reviewers on 200 rows;
 * students retrained three times in a row from their own traffic. A student is trained once for each set and teacher, and all holdouts
 * are drawn from its answers to the fresh rows. Parts: names of sets. BENCH_SETS: a folder with more sets (`DecisionSets`).
 * BENCH_DRAWS: holdouts of each; BENCH_ROWS: train rows at most; BENCH_ERRORS: the teachers' random errors in percent.
 * BENCH_PARTS: some of recommended, systematic and retrained.
 */
import * as PromiseTrials from "./PromiseTrials.ts"
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"
import * as TextSets from "./TextSets.ts"
import * as ThresholdTrials from "./ThresholdTrials.ts"

const draws = Number(process.env["BENCH_DRAWS"] ?? 400)
const rowsMax = Number(process.env["BENCH_ROWS"] ?? 2_000)
const noises = (process.env["BENCH_ERRORS"] ?? "0,5,10,20").split(",").map((percent) => Number(percent) / 100)
const parts = new Set((process.env["BENCH_PARTS"] ?? "recommended,systematic,retrained").split(","))
const sizes = [100, 300, 600]
/** Of an ordinary teacher. */
const usualNoise = 0.05
const seed = 28
const margin = 0.02

type Texts = TextSets.Texts
type Lines = ReadonlyArray<ReadonlyArray<string>>

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, one) => sum + one, 0) / values.length
const each = <A>(of: (draw: number) => A): ReadonlyArray<A> => Array.from({ length: draws }, (_, draw) => of(draw))
const labelsOf = (texts: Texts) => [...new Set(texts.map(({ gold }) => gold))].sort()

const wrapping = (() => {
  const [first] = StudentSet.wrappings
  if (first === undefined) throw new Error("there is no wrapping")
  return first
})()

/** The fresh rows with the answers of a student of this teacher. */
const trafficOf = async (texts: Texts, noise: number): Promise<ThresholdTrials.Traffic> => {
  const [labels, next] = [labelsOf(texts), ThresholdTrials.uniformOf(seed)]
  const taught = texts.map((text) => ({ ...text, teacher: ThresholdTrials.answerOf(text.gold, labels, noise, next) }))
  const answers = await StudentTrial.answersOf(taught, wrapping)
  const rows = answers.map(({ confidence, gold, isNew, student }) => ({
    student,
    gold,
    confidence: isNew ? null : confidence
  }))
  return ThresholdTrials.trafficOf(rows, noise)
}

interface Recommended {
  readonly name: string
  readonly noise: number
  readonly possible: number
  readonly trials: ReadonlyArray<ThresholdTrials.Trials>
}

const recommend = (name: string, traffic: ThresholdTrials.Traffic): Recommended => ({
  name,
  noise: traffic.noise,
  possible: traffic.possible,
  trials: sizes.map((size) => ThresholdTrials.of(traffic, size, draws))
})

const recommendedLine = ({ name, noise, possible, trials }: Recommended): ReadonlyArray<string> => [
  name,
  Table.percent(noise),
  Table.percent(possible),
  ...trials.flatMap(({ broken, share, uncovered }) => [share, broken, uncovered].map(Table.percent))
]

/** Compares mean shares over the sets. */
const summary = (title: string, of: ReadonlyArray<Recommended>): Lines =>
  sizes.map((size, at) => {
    const valuesOf = (value: (trials: ThresholdTrials.Trials) => number) => of.map(({ trials }) => value(trials[at]!))
    const [broken, missed] = [valuesOf((trials) => trials.broken), valuesOf((trials) => trials.uncovered)]
    return [
      title,
      Table.figure(size),
      Table.figure(mean(valuesOf(({ share }) => share)) / mean(of.map(({ possible }) => possible)), 2),
      ...[mean(broken), Math.max(...broken), mean(missed), Math.max(...missed)].map(Table.percent)
    ]
  })

const savingLine = (name: string, traffic: ThresholdTrials.Traffic): ReadonlyArray<string> => {
  const found = each((draw) => PromiseTrials.savingOf(traffic, draw)).filter((one) => one !== null)
  const within = found.filter(({ measured, promised }) => promised.low <= measured && measured <= promised.high)
  const usd = (values: ReadonlyArray<number>) => (values.length === 0 ? "" : Table.figure(mean(values), 4))
  return [
    name,
    Table.percent(found.length / draws),
    usd(found.map(({ promised }) => promised.value)),
    usd(found.map(({ measured }) => measured)),
    found.length === 0 ? "" : Table.percent(within.length / found.length)
  ]
}

const retrainedLines = async (name: string, texts: Texts): Promise<Lines> => {
  const lines: Array<ReadonlyArray<string>> = []
  for (const range of ["time", "tag"] as const) {
    const accuracies = await PromiseTrials.retrain(texts, wrapping, range, rowsMax)
    lines.push([name, range, ...accuracies.map(Table.percent)])
  }
  return lines
}

const systematicLines = async (name: string, texts: Texts): Promise<Lines> => {
  const answers = await StudentTrial.answersOf(PromiseTrials.withSystematicErrors(texts, seed), wrapping)
  return [false, true].map((isReviewed) => {
    const found = each((draw) => PromiseTrials.systematicOf(answers, draw, isReviewed))
    return [
      name,
      isReviewed ? "200 verdicts" : "none",
      Table.percent(mean(found.map(({ share }) => share))),
      Table.figure(100 * mean(found.map(({ gained }) => gained)), 1),
      Table.percent(found.filter(({ gained }) => gained < -margin).length / draws)
    ]
  })
}

const header = {
  recommended: ["set", "errors", "possible", ...sizes.flatMap((size) => [`${size}: share`, "broken", "missed"])],
  summary: ["teachers", "holdout", "recommended / possible", "broken, mean", "worst", "missed, mean", "worst"],
  saving: ["set", "recommended", "promised", "measured", "within the interval"],
  systematic: ["set", "reviewed", "share", "points above the teacher", "2 points below it"],
  retrained: ["set", "calls by", "first", "turn 1", "turn 2", "turn 3"]
}

/** Trains a student for each teacher. Prints the recommendations of the holdouts, and the saving for an ordinary teacher. */
const printRecommended = async (name: string, texts: Texts): Promise<ReadonlyArray<Recommended>> => {
  const all: Array<Recommended> = []
  for (const noise of noises) {
    const traffic = await trafficOf(texts, noise)
    const one = recommend(name, traffic)
    all.push(one)
    Table.print(`recommended shares, ${draws} holdouts each`, header.recommended, [recommendedLine(one)])
    if (noise !== usualNoise) continue
    Table.print("saving in US dollars per 1,000 calls, holdouts of 600 rows, 5,000 replayed calls", header.saving, [
      savingLine(name, traffic)
    ])
  }
  return all
}

const printSummary = (sets: number, all: ReadonlyArray<Recommended>): void => {
  const usual = all.filter(({ noise }) => noise === usualNoise)
  Table.print(`all ${sets} sets, ${draws} holdouts each`, header.summary, [
    ...(usual.length === 0 ? [] : summary("5 % of errors", usual)),
    ...summary("all", all)
  ])
}

/** Prints each line at once, so an interrupted run has the lines of the finished sets. */
export const main = async (names: ReadonlyArray<string>): Promise<void> => {
  const sets = await TextSets.read(names, rowsMax)
  const all: Array<Recommended> = []
  if (parts.has("recommended")) {
    for (const [name, texts] of sets) all.push(...(await printRecommended(name, texts)))
    printSummary(sets.size, all)
  }
  for (const [name, texts] of parts.has("systematic") ? sets : []) {
    const lines = await systematicLines(name, texts)
    Table.print("systematic errors in a fifth of the texts, holdouts of 600 rows", header.systematic, lines)
  }
  for (const [name, texts] of parts.has("retrained") ? sets : []) {
    const lines = await retrainedLines(name, texts)
    Table.print("right answers to fresh rows, before and after three retrainings", header.retrained, lines)
  }
}
