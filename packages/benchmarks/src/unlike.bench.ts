/**
 * What builtin students of public texts send away as unlike their rows, as each measured it at its training: rows held back,
 * harmless changes of them, and other tasks, languages and bytes. Each set plain, and with a line that all rows have alike.
 * Parts: names of sets.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Effect from "effect/Effect"
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

const wrappings: Readonly<Record<string, (text: string, index: number) => string>> = {
  plain: (text) => text,
  "with a ticket line": (text, index) => `${text}\n\nTicket 2026-11-${1_000 + index}`
}

const rowOf = (content: string, completion: string): Row => ({ messages: [{ role: "user", content }], completion })

const measured = async (name: string, wrap: (text: string, index: number) => string) => {
  const texts = StudentSet.read(name).map((one, index) => ({ ...one, text: wrap(one.text, index) }))
  const train = texts.filter(({ split }) => split === "train")
  const { bytes } = await Effect.runPromise(StudentTrial.train(train.map(({ teacher, text }) => rowOf(text, teacher))))
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  if (model.about.unlike === undefined) throw new Error(`${name} has too few rows`)
  const asked = texts.filter(({ split }) => split === "test").map(({ text }) => exampleOf(rowOf(text, "")).turns)
  const before = process.threadCpuUsage()
  for (const turns of asked) model.predict(turns)
  const { user } = process.threadCpuUsage(before)
  return { ...model.about.unlike, micros: user / asked.length }
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
  const names = Object.keys(await StudentSet.prepare(parts)).filter((name) => name !== "both")
  for (const [wrapping, wrap] of Object.entries(wrappings)) {
    const all = []
    for (const name of names) all.push({ name, figures: await measured(name, wrap) })
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
