/**
 * Whether the builtin student pays on public texts: beside its teacher, the most frequent label and scikit-learn's linear
 * models on the same rows; and whether a text's wrapping matters. Parts: names of sets.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as StudentSet from "./StudentSet.ts"
import type * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

interface Measurement {
  /** In the order of the wrappings. */
  readonly trials: ReadonlyArray<StudentTrial.Trial>
  readonly peakBytes: number
}

const trialFile = fileURLToPath(new URL("student-trial.ts", import.meta.url))

/** In its own process, to measure its memory. */
const measured = async (name: string): Promise<Measurement> => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@limbeck/source", trialFile, name])
  return JSON.parse(stdout)
}

const rightOf = (texts: ReadonlyArray<StudentSet.Text>): number =>
  texts.filter(({ gold, teacher }) => gold === teacher).length / texts.length

const mostFrequent = (texts: ReadonlyArray<StudentSet.Text>): number => {
  const groups = [...Map.groupBy(texts, ({ gold }) => gold).values()]
  return Math.max(...groups.map(({ length }) => length)) / texts.length
}

interface Line {
  readonly name: string
  readonly texts: ReadonlyArray<StudentSet.Text>
  readonly linear: StudentSet.Linear
  readonly measured: Measurement
}

const lineOf = async (name: string): Promise<Line> => ({
  name,
  texts: StudentSet.read(name),
  linear: await StudentSet.linear(name),
  measured: await measured(name)
})

const figures = ({ linear, measured: { peakBytes, trials }, name, texts }: Line): ReadonlyArray<string> => {
  const test = texts.filter(({ split }) => split === "test")
  const [trial] = trials
  return [
    name,
    Table.figure(texts.filter(({ split }) => split === "train").length),
    Table.figure(new Set(texts.map(({ gold }) => gold)).size),
    Table.percent(trial?.right ?? 0),
    Table.percent(linear.right),
    Table.percent(rightOf(test)),
    Table.percent(mostFrequent(test)),
    Table.percent(trial?.agreement ?? 0),
    trial?.threshold?.toFixed(3) ?? "none",
    Table.percent(trial?.answered ?? 0),
    Table.percent(trial?.cascadeRight ?? 0),
    Table.figure(trial?.calibrationError, 3),
    Table.figure(trial?.seconds, 1),
    Table.figure(linear.seconds, 1),
    Table.mebibytes(trial?.modelBytes ?? 0),
    Table.mebibytes(peakBytes)
  ]
}

const header = [
  "set",
  "rows",
  "labels",
  "student",
  "linear",
  "teacher",
  "most frequent",
  "agreement",
  "threshold",
  "answered",
  "cascade",
  "ECE",
  "seconds",
  "linear s",
  "model",
  "peak"
]

export const main = async (names: ReadonlyArray<string>): Promise<void> => {
  const sources = await StudentSet.prepare(names)
  Table.print(
    "texts",
    ["set", "asked", "package", "licence"],
    Object.entries(sources).map(([name, { asked, licence, package: from, registry, version }]) => [
      name,
      asked,
      `${registry} ${from} ${version}`,
      licence
    ])
  )
  const lines: Array<Line> = []
  for (const name of Object.keys(sources)) lines.push(await lineOf(name))
  Table.print("right on the test rows; agreement, threshold and ECE by the teacher", header, lines.map(figures))
  Table.print(
    "right by how the text is wrapped",
    ["set", ...StudentSet.wrappings.map(({ name }) => name), "best less worst"],
    lines.map(({ measured: { trials }, name }) => {
      const right = trials.map((trial) => trial.right)
      return [name, ...right.map(Table.percent), Table.figure(100 * (Math.max(...right) - Math.min(...right)), 1)]
    })
  )
}
