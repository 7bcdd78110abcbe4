/**
 * Students of public intent sets by rows a label: n-grams alone, with the names of labels, with word vectors learnt from the set's own
 * texts, with both, and with a static table; beside linear models of scikit-learn and published figures. The first part is a folder of sets (see DecisionSets); others
 * name sets in it. BENCH_ROWS: rows a label, such as `10,30,all`. BENCH_DRAWS: draws of the rows; `all` takes one. BENCH_TABLE: a folder in
 * the form of model2vec. BENCH_PYTHON: a Python with scikit-learn, by default `python3`.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as DecisionSets from "./DecisionSets.ts"
import * as IntentTrials from "./IntentTrials.ts"
import * as StudentSet from "./StudentSet.ts"
import * as Table from "./Table.ts"

const rowCounts = (process.env["BENCH_ROWS"] ?? "10,30,all")
  .split(",")
  .map((count) => (count === "all" ? null : Number(count)))
const draws = Number(process.env["BENCH_DRAWS"] ?? 5)
const python = process.env["BENCH_PYTHON"] ?? "python3"
const tables = IntentTrials.tables(process.env["BENCH_TABLE"])

/**
 * Accuracy of USE+ConveRT by set and rows a label: Casanueva et al. 2020, "Efficient Intent Detection with Dual Sentence Encoders",
 * arXiv:2003.04807.
 */
const published: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  banking77: { 10: 0.8519, 30: 0.9057, all: 0.9336 },
  clinc150: { 10: 0.9326, all: 0.9716 },
  hwu64: { 10: 0.8583, all: 0.9262 }
}

/** The quantiles of Student's t distribution for 95 % intervals of a mean, by the number of values. */
const quantiles: Readonly<Record<number, number>> = { 2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571, 7: 2.447 }

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, one) => sum + one, 0) / values.length

/** Half the width of the interval; undefined for a number of values without a quantile. */
const halfOf = (values: ReadonlyArray<number>): number | undefined => {
  const quantile = quantiles[values.length]
  if (quantile === undefined) return undefined
  const middle = mean(values)
  const variance = values.reduce((sum, one) => sum + (one - middle) ** 2, 0) / (values.length - 1)
  return quantile * Math.sqrt(variance / values.length)
}

const withHalf = (values: ReadonlyArray<number>): string => {
  const half = halfOf(values)
  const points = values.map((value) => 100 * value)
  return `${Table.figure(mean(points), 1)}${half === undefined ? "" : ` ±${Table.figure(100 * half, 1)}`}`
}

/** The best of four linear models on the draw; undefined without scikit-learn. */
const linear = async ({ texts }: IntentTrials.Draw): Promise<StudentSet.Linear | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-intents-"))
  const file = join(folder, "draw.jsonl")
  try {
    await writeFile(file, texts.map((text) => JSON.stringify(text)).join("\n"))
    return await StudentSet.linearOf(python, file)
  } catch (error) {
    if (String(error).includes("sklearn") || String(error).includes("ENOENT")) return undefined
    throw error
  } finally {
    await rm(folder, { recursive: true })
  }
}

interface Measurement {
  readonly set: string
  readonly rows: string
  readonly features: IntentTrials.Features
  readonly trials: ReadonlyArray<IntentTrials.IntentTrial>
  /** Of n-grams on the same draws. */
  readonly plain: ReadonlyArray<IntentTrials.IntentTrial>
  readonly linear: ReadonlyArray<StudentSet.Linear | undefined>
}

const measure = async (set: DecisionSets.DecisionSet, rowsEach: number | null): Promise<ReadonlyArray<Measurement>> => {
  const rows = String(rowsEach ?? "all")
  const seeds = Array.from({ length: rowsEach === null ? 1 : draws }, (_, draw) => 1_000 * (draw + 1))
  const kinds: ReadonlyArray<IntentTrials.Features> = [
    "n-grams",
    "label names",
    "own words",
    "words and names",
    ...(tables === null ? [] : (["static table"] as const))
  ]
  const trials = new Map(kinds.map((features) => [features, [] as IntentTrials.IntentTrial[]]))
  const references: Array<StudentSet.Linear | undefined> = []
  for (const seed of seeds) {
    const draw = IntentTrials.drawOf(set, rowsEach, seed)
    for (const features of kinds) {
      const trial = await IntentTrials.of(draw, features, seed, tables)
      trials.get(features)?.push(trial)
      process.stderr.write(`${set.name} ${rows} ${features} ${seed}: ${Table.percent(trial.right)}\n`)
    }
    references.push(await linear(draw))
  }
  const plain = trials.get("n-grams") ?? []
  return kinds.map((features) => ({
    set: set.name,
    rows,
    features,
    trials: trials.get(features) ?? [],
    plain,
    linear: references
  }))
}

const columns = ({ features, linear, plain, rows, set, trials }: Measurement): ReadonlyArray<string> => {
  const of = (figure: "answered" | "calibrationError" | "cascadeRight" | "millis" | "modelBytes" | "seconds") =>
    mean(trials.map((trial) => trial[figure]))
  const references = linear.flatMap((one) => (one === undefined ? [] : [one.right]))
  const reference = published[set]?.[rows]
  return [
    set,
    rows,
    features,
    withHalf(trials.map(({ right }) => right)),
    features === "n-grams" ? "" : withHalf(trials.map(({ right }, at) => right - (plain[at]?.right ?? 0))),
    references.length === 0 ? "not run" : withHalf(references),
    reference === undefined ? "" : Table.figure(100 * reference, 1),
    Table.figure(of("calibrationError"), 3),
    Table.percent(of("answered")),
    Table.percent(of("cascadeRight")),
    Table.figure(of("millis"), 2),
    Table.mebibytes(of("modelBytes")),
    Table.figure(of("seconds"), 1)
  ]
}

const header = [
  "set",
  "rows a label",
  "features",
  "right, % ±95 %",
  "gain",
  "linear",
  "USE+ConveRT",
  "ECE",
  "answered",
  "cascade",
  "ms",
  "model",
  "seconds"
]

export const main = async ([folder, ...names]: ReadonlyArray<string>): Promise<void> => {
  if (folder === undefined) throw new Error("Which folder? npm run bench -- intents FOLDER [SET…]")
  const sets = DecisionSets.inFolder(folder).filter(({ name }) => names.length === 0 || names.includes(name))
  const lines: Array<ReadonlyArray<string>> = []
  for (const rowsEach of rowCounts) {
    for (const set of sets) lines.push(...(await measure(set, rowsEach)).map(columns))
    Table.print(
      `${draws} draws; right, answered and cascade on the test rows, beside a teacher that is right`,
      header,
      lines
    )
  }
}
