/**
 * What deployments keep of their reports, on public texts: the saving promised and measured over 5,000 replayed calls, students retrained
 * three times in a row from their own traffic, and recommendations under systematic errors, without and with the verdicts of reviewers on
 * 200 rows. Parts: names of sets. BENCH_DRAWS: holdouts of each; BENCH_ROWS: train rows at most.
 */
import * as PromiseTrials from "./PromiseTrials.ts"
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

const draws = Number(process.env["BENCH_DRAWS"] ?? 100)
const rowsMax = Number(process.env["BENCH_ROWS"] ?? 2_000)
const seed = 28
const margin = 0.02

const mean = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length
const each = <A>(of: (draw: number) => A): ReadonlyArray<A> => Array.from({ length: draws }, (_, draw) => of(draw))
const labelsOf = (texts: ReadonlyArray<StudentSet.Text>) => [...new Set(texts.map(({ gold }) => gold))].sort()

/** Of equal sets for a small and a large machine: the first train rows, and all others. */
const shortened = (texts: ReadonlyArray<StudentSet.Text>): ReadonlyArray<StudentSet.Text> => {
  const train = texts.filter(({ split }) => split === "train").slice(0, rowsMax)
  return [...train, ...texts.filter(({ split }) => split !== "train")]
}

const savings = async (name: string, texts: ReadonlyArray<StudentSet.Text>, wrapping: StudentSet.Wrapping) => {
  const answers = await StudentTrial.answersOf(texts, wrapping)
  const found = each((draw) => PromiseTrials.savingOf(answers, labelsOf(texts), draw)).filter((one) => one !== null)
  const within = found.filter(({ measured, promised }) => promised.low <= measured && measured <= promised.high)
  return [
    name,
    Table.percent(found.length / draws),
    Table.figure(mean(found.map(({ promised }) => promised.value)), 4),
    Table.figure(mean(found.map(({ measured }) => measured)), 4),
    found.length === 0 ? "" : Table.percent(within.length / found.length)
  ]
}

const retrainings = async (name: string, texts: ReadonlyArray<StudentSet.Text>, wrapping: StudentSet.Wrapping) => {
  const lines: Array<ReadonlyArray<string>> = []
  for (const range of ["time", "tag"] as const) {
    const accuracies = await PromiseTrials.retrain(texts, wrapping, range, rowsMax)
    lines.push([name, range, ...accuracies.map((accuracy) => Table.percent(accuracy))])
  }
  return lines
}

const systematic = async (name: string, texts: ReadonlyArray<StudentSet.Text>, wrapping: StudentSet.Wrapping) => {
  const answers = await StudentTrial.answersOf(PromiseTrials.withSystematicErrors(texts, seed), wrapping)
  return [false, true].map((isReviewed) => {
    const found = each((draw) => PromiseTrials.systematicOf(answers, draw, isReviewed))
    const broken = found.filter(({ gained }) => gained < -margin).length
    return [
      name,
      isReviewed ? "200 verdicts" : "none",
      Table.percent(mean(found.map(({ share }) => share)) ?? 0),
      Table.figure(100 * (mean(found.map(({ gained }) => gained)) ?? 0), 1),
      Table.percent(broken / draws)
    ]
  })
}

export const main = async (names: ReadonlyArray<string>): Promise<void> => {
  const [wrapping] = StudentSet.wrappings
  if (wrapping === undefined) throw new Error("there is no wrapping")
  const tables = {
    savings: [] as ReadonlyArray<string>[],
    turns: [] as ReadonlyArray<string>[],
    errors: [] as ReadonlyArray<string>[]
  }
  for (const name of Object.keys(await StudentSet.prepare(names))) {
    const texts = shortened(StudentSet.read(name))
    tables.savings.push(await savings(name, texts, wrapping))
    tables.turns.push(...(await retrainings(name, texts, wrapping)))
    tables.errors.push(...(await systematic(name, texts, wrapping)))
  }
  Table.print(
    `saving in US dollars per 1,000 calls, ${draws} holdouts of 600 rows, 5,000 replayed calls each`,
    ["set", "recommended", "promised", "measured", "within the interval"],
    tables.savings
  )
  Table.print(
    "right answers to fresh rows, before and after three retrainings from traffic",
    ["set", "calls by", "first", "turn 1", "turn 2", "turn 3"],
    tables.turns
  )
  Table.print(
    `systematic errors in a fifth of the texts, ${draws} holdouts of 600 rows`,
    ["set", "reviewed", "share", "points above the teacher", "2 points below it"],
    tables.errors
  )
}
