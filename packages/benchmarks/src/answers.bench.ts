/** What an answer of a builtin student takes in this process, to requests of 1,000 characters, by how many labels it has. */
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Effect from "effect/Effect"
import { frequentWord, makeRows } from "./StudentShapes.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

const characters = 1_000
const words = 180
const asked = 500
const warm = 200

const millisOf = (of: () => unknown): number => {
  const before = performance.now()
  of()
  return performance.now() - before
}

const at = (ordered: ReadonlyArray<number>, share: number): string =>
  Table.figure(ordered[Math.floor(ordered.length * share)], 3)

const measure = async (labels: number): Promise<ReadonlyArray<string>> => {
  const { bytes } = await Effect.runPromise(
    StudentTrial.train(makeRows(Math.max(600, labels * 5), words, labels, frequentWord))
  )
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  const requests = makeRows(warm + asked, words, labels, frequentWord).map(({ messages }) =>
    exampleOf({
      messages: [{ role: "user", content: String(messages[0]["content"]).slice(0, characters) }],
      completion: ""
    })
  )
  for (const { turns } of requests.slice(0, warm)) model.predict(turns)
  const cpu = process.threadCpuUsage()
  const took = requests.slice(warm).map(({ turns }) => millisOf(() => model.predict(turns)))
  const { system, user } = process.threadCpuUsage(cpu)
  const ordered = took.toSorted((a, b) => a - b)
  const each = (user + system) / 1_000 / took.length
  return [
    Table.figure(labels),
    at(ordered, 0.5),
    at(ordered, 0.99),
    Table.figure(each, 3),
    Table.mebibytes(bytes.length)
  ]
}

export const main = async (): Promise<void> => {
  const lines: Array<ReadonlyArray<string>> = []
  for (const labels of [2, 10, 100]) lines.push(await measure(labels))
  Table.print(
    `an answer to a request of ${characters} characters, milliseconds`,
    ["labels", "p50", "p99", "of a processor", "model"],
    lines
  )
}
