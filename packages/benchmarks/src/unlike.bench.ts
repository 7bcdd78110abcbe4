/**
 * What builtin students of public texts send away as unlike their rows, as each measured it at its training: rows held back,
 * harmless changes of them, and other tasks, languages and bytes. Each set plain, and with a line that all rows have alike.
 * `other_sets` is the share of fresh rows of the other sets, measured here. Parts: names of sets. BENCH_SETS: a folder with more sets
 * (`DecisionSets`). BENCH_ROWS: train rows at most.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Effect from "effect/Effect"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"
import * as TextSets from "./TextSets.ts"

const rowsMax = Number(process.env["BENCH_ROWS"] ?? 4_500)
/** Fresh rows of each other set. */
const othersEach = 30

const wrappings: Readonly<Record<string, (text: string, index: number) => string>> = {
  plain: (text) => text,
  "with a ticket line": (text, index) => `${text}\n\nTicket 2026-11-${1_000 + index}`
}

const rowOf = (content: string, completion: string): Row => ({ messages: [{ role: "user", content }], completion })

type Sets = ReadonlyMap<string, TextSets.Texts>

const freshOf = (texts: TextSets.Texts) => texts.filter(({ split }) => split === "test").map(({ text }) => text)

const measured = async (sets: Sets, name: string, wrap: (text: string, index: number) => string) => {
  const texts = (sets.get(name) ?? []).map((one, index) => ({ ...one, text: wrap(one.text, index) }))
  const train = texts.filter(({ split }) => split === "train")
  const { bytes } = await Effect.runPromise(StudentTrial.train(train.map(({ teacher, text }) => rowOf(text, teacher))))
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  if (model.about.unlike === undefined) throw new Error(`${name} has too few rows`)
  const predict = (text: string) => model.predict(exampleOf(rowOf(text, "")).turns)
  const others = [...sets].flatMap(([other, own]) => (other === name ? [] : freshOf(own).slice(0, othersEach)))
  const fresh = freshOf(texts)
  const before = process.threadCpuUsage()
  for (const text of fresh) predict(text)
  const { user } = process.threadCpuUsage(before)
  const isOther = others.filter((text) => predict(text).isNew).length / others.length
  const { unlike } = model.about
  return { ...unlike, others: { ...unlike.others, other_sets: isOther }, micros: user / fresh.length }
}

const lineOf = (name: string, { as_they_are, changed, micros, others }: Awaited<ReturnType<typeof measured>>) => [
  name,
  Table.percent(as_they_are),
  ...[...Object.values({ without_common_line: 0, ...changed }), ...Object.values(others)].map((share) =>
    Table.percent(share)
  ),
  Table.figure(micros)
]

export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  const sets = new Map([...(await TextSets.read(parts, rowsMax))].filter(([name]) => name !== "both"))
  for (const [wrapping, wrap] of Object.entries(wrappings)) {
    const all = []
    for (const name of sets.keys()) all.push({ name, figures: await measured(sets, name, wrap) })
    const [first] = all
    if (first === undefined) return
    const { changed, others } = first.figures
    const header = [
      "set",
      "as they are",
      ...Object.keys({ without_common_line: 0, ...changed }),
      ...Object.keys(others),
      "µs"
    ]
    Table.print(
      `\nSent away as unlike the rows: ${wrapping}`,
      header,
      all.map(({ figures, name }) => lineOf(name, figures))
    )
  }
}
