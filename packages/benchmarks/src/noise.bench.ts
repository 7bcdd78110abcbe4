/**
 * Random wrong labels in public texts: suspect precision and recall, and accuracy gains from `clean: "drop"` and `"relabel"` on fresh rows.
 * Parts: names of sets. BENCH_DRAWS: draws of the wrong labels, each with a seed of its own; 1 by default.
 */
import * as NoiseTrials from "./NoiseTrials.ts"
import * as StudentSet from "./StudentSet.ts"
import * as Table from "./Table.ts"

const noises = [0, 0.05, 0.1, 0.2]
const draws = Number(process.env["BENCH_DRAWS"] ?? 1)
const seed = 28

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, one) => sum + one, 0) / values.length

interface Line {
  readonly name: string
  readonly noise: number
  readonly trials: ReadonlyArray<NoiseTrials.NoiseTrial>
}

/** Points of 100. */
const points = (share: number): string => Table.figure(100 * share, 1)

const columns = ({ name, noise, trials }: Line, unspoilt: number): ReadonlyArray<string> => {
  const of = (figure: keyof NoiseTrials.NoiseTrial) => mean(trials.map((trial) => trial[figure]))
  return [
    name,
    Table.percent(noise),
    Table.figure(of("wrong")),
    noise === 0 ? "" : Table.percent(of("precision")),
    noise === 0 ? "" : Table.percent(of("confidentPrecision")),
    noise === 0 ? "" : Table.percent(of("recall")),
    Table.figure(of("dropped")),
    Table.percent(of("right")),
    Table.percent(of("rightAfterDrop")),
    points(unspoilt - of("right")),
    points(of("rightAfterDrop") - of("right")),
    Table.figure(of("asked")),
    Table.percent(of("rightAfterRelabel")),
    points(of("rightAfterRelabel") - of("right"))
  ]
}

const header = [
  "set",
  "wrong labels",
  "rows",
  "of the first suspects wrong",
  "of the confident wrong",
  "found by these",
  "dropped",
  "student",
  "after drop",
  "points lost",
  "won back",
  "asked again",
  "after relabel",
  "won back"
]

export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  const names = Object.keys(await StudentSet.prepare(parts)).filter((name) => name !== "both")
  const rows: Array<ReadonlyArray<string>> = []
  for (const name of names) {
    const texts = StudentSet.read(name)
    let unspoilt: number | undefined
    for (const noise of noises) {
      const trials: Array<NoiseTrials.NoiseTrial> = []
      // Without noise all draws are the same.
      for (let draw = 0; draw < (noise === 0 ? 1 : draws); draw++) {
        trials.push(await NoiseTrials.of(texts, noise, seed + draw))
      }
      unspoilt ??= mean(trials.map(({ right }) => right))
      rows.push(columns({ name, noise, trials }, unspoilt))
    }
  }
  Table.print(`wrong labels by chance, means of ${draws} draws; right on fresh rows`, header, rows)
}
