/**
 * Estimates of the builtin student against what its runs then take of a processor, over data of many shapes: a training in a
 * thread of its own, as in any run, and its evaluation.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"
import { DistillLimits } from "@limbeck/distill/Limits"
import { local } from "@limbeck/distill/recipe/ComputeProfile"
import { estimate } from "@limbeck/distill/recipe/Estimate"
import { sizeOf } from "@limbeck/distill/recipe/Proposal"
import { builtin } from "@limbeck/distill/recipe/StudentBase"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import { exampleOf } from "@limbeck/executors/builtin/BuiltinExecutor"
import * as CensusTaker from "@limbeck/executors/builtin/CensusTaker"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Probe from "@limbeck/executors/builtin/Probe"
import * as Settings from "@limbeck/executors/builtin/Settings"
import * as Stopwatch from "@limbeck/executors/builtin/Stopwatch"
import * as TrainingThread from "@limbeck/executors/builtin/TrainingThread"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Table from "./Table.ts"

const processorSeconds = Stopwatch.start(Stopwatch.processor)

const next = SeededRandom.make(11)
const share = () => next() / 2 ** 32
const letter = () => String.fromCharCode(97 + Math.floor(share() * 26))
const word = () => Array.from({ length: 2 + Math.floor(share() * 9) }, letter).join("")
const vocabulary = Array.from({ length: 3_000 }, word)
/** As in language: few words are most of a text. */
const spoken = () => vocabulary[Math.floor(vocabulary.length ** share()) - 1] ?? ""

const digest = () => Array.from({ length: 32 }, () => Math.floor(share() * 16).toString(16)).join("")
const hanzi = () => String.fromCharCode(0x4e00 + Math.floor(3_000 ** share()))
const systemPrompt = Array.from({ length: 350 }, spoken).join(" ")
const prompted = (row: Row): Row => ({
  ...row,
  messages: [{ role: "system", content: systemPrompt }, ...row.messages]
})

const made = (rows: number, words: number, labels: number, one: () => string): ReadonlyArray<Row> =>
  Array.from({ length: rows }, () => ({
    messages: [{ role: "user", content: Array.from({ length: words }, one).join(" ") }],
    completion: `label ${Math.floor(share() * labels)}`
  }))

const ofDesk = (rows: number): ReadonlyArray<Row> =>
  tickets({ rows, seed: 1 }).flatMap(({ completion, messages: [first, ...others] }) =>
    first === undefined ? [] : [{ messages: [{ ...first }, ...others.map((one) => ({ ...one }))], completion }]
  )

const shapes: Readonly<Record<string, () => ReadonlyArray<Row>>> = {
  "500 tickets": () => ofDesk(500),
  "2,000 tickets": () => ofDesk(2_000),
  "8,000 tickets": () => ofDesk(8_000),
  "2,000 of words, 2 labels": () => made(2_000, 30, 2, spoken),
  "2,000 of words, 8 labels": () => made(2_000, 30, 8, spoken),
  "2,000 of words, 40 labels": () => made(2_000, 30, 40, spoken),
  "8,000 of words, 40 labels": () => made(8_000, 30, 40, spoken),
  "1,000 of 1 KB": () => made(1_000, 180, 8, spoken),
  "1,000 of 4 KB": () => made(1_000, 720, 8, spoken),
  "500 of 10 KB": () => made(500, 1_800, 8, spoken),
  "2,000 of random letters": () => made(2_000, 30, 8, word),
  "10,000 of random letters": () => made(10_000, 30, 8, word),
  "10,000 of random letters, 40 labels": () => made(10_000, 30, 40, word),
  "1,000 of random letters, 2 KB": () => made(1_000, 300, 8, word),
  "4,000 of two digests, 3 labels": () => made(4_000, 2, 3, digest),
  "4,000 of Chinese": () => made(4_000, 60, 8, hanzi),
  "8,000 of three words": () => made(8_000, 3, 8, spoken),
  "2,000 of words after a prompt": () => made(2_000, 30, 8, spoken).map(prompted),
  "2,000 short and long": () =>
    made(2_000, 1, 8, () => Array.from({ length: share() < 0.8 ? 20 : 1_200 }, spoken).join(" "))
}

const holdoutShare = 0.2
const epochs = Number(process.env["BENCH_EPOCHS"] ?? 10)
const sample = 500

const trained = (rows: ReadonlyArray<Row>) =>
  TrainingThread.train({
    plan: {
      settings: { ...Settings.defaults, epochs },
      checkpoint: null,
      spentSeconds: 0,
      quantumSeconds: 0.05,
      checkpointSeconds: 2
    },
    examples: Stream.map(Stream.fromIterable(rows), exampleOf),
    grant: () => Effect.succeed(true)
  }).pipe(
    Stream.filter((said) => said.type === "ended"),
    Stream.runHead,
    Effect.flatMap(Effect.fromOption),
    Effect.runPromise
  )

/** Seconds that the answers to the sample took. */
const answered = (model: Model.Model, rows: ReadonlyArray<Row>): number =>
  rows.slice(0, sample).reduce((sum, row) => {
    const before = processorSeconds()
    model.predict(exampleOf(row).turns)
    return sum + processorSeconds() - before
  }, 0)

/** As a version has it. */
const censusOf = (rows: ReadonlyArray<Row>) => {
  const censusTaker = CensusTaker.make()
  for (const row of rows) if (censusTaker.characters() < DistillLimits.censusCharacters) censusTaker.add(row)
  return censusTaker.census()
}

const measure = async (rows: ReadonlyArray<Row>, builtinSpeed: number) => {
  const holdoutRows = Math.floor(rows.length * holdoutShare)
  const trainRows = rows.length - holdoutRows
  const profile = {
    ...RowProfiler.profileOf(rows.reduce(RowProfiler.add, RowProfiler.begin())),
    census: censusOf(rows)
  }
  const { gpuSeconds } = estimate({
    student: builtin,
    profile: local,
    stages: [
      { kind: "sft", config: { epochs } },
      { kind: "eval", config: { sample } }
    ],
    data: sizeOf({ trainRows, holdoutRows, profile }),
    builtinSpeed
  })
  const { ending, seconds: training } = await trained(rows.slice(0, trainRows))
  if (ending.type !== "finished") throw new Error(`The training ended as ${ending.type}`)
  const model = Model.load(ending.model)
  if ("reason" in model) throw new Error(model.reason)
  return { estimated: gpuSeconds, training, answers: answered(model, rows.slice(trainRows)) }
}

export const main = async (): Promise<void> => {
  const probed = await Effect.runPromise(Probe.measure)
  const speed = await Effect.runPromise(Probe.measureSpeed)
  process.stdout.write(`the probe took ${Table.figure(probed, 3)} s; this machine counts as ${speed}\n\n`)
  const lines: Array<ReadonlyArray<string>> = []
  for (const [name, rows] of Object.entries(shapes)) {
    const { answers, estimated, training } = await measure(rows(), speed)
    const took = training + answers
    lines.push([
      name,
      Table.figure(estimated, 3),
      Table.figure(took, 3),
      Table.figure(training, 3),
      Table.figure(answers, 3),
      Table.figure(estimated / took, 2)
    ])
  }
  Table.print(
    `the builtin student in ${epochs} epochs, seconds of a processor`,
    ["data", "estimated", "took", "training", "answers", "estimated/took"],
    lines
  )
}
