/**
 * Estimates of the builtin student against its actual runs, over data of many shapes: training like in a live run, its
 * evaluation, their cost, and the memory of the weights. Parts: words in the names of shapes.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"
import { DistillLimits } from "@limbeck/distill/Limits"
import { local } from "@limbeck/distill/recipe/ComputeProfile"
import { estimate } from "@limbeck/distill/recipe/Estimate"
import { sizeOf } from "@limbeck/distill/recipe/ProposalInput"
import { defaults } from "@limbeck/distill/recipe/Recipe"
import { builtin } from "@limbeck/distill/recipe/StudentBase"
import * as StudentWork from "@limbeck/distill/recipe/StudentWork"
import * as CensusTaker from "@limbeck/executors/builtin/CensusTaker"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Probe from "@limbeck/executors/builtin/Probe"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Stopwatch from "@limbeck/executors/builtin/Stopwatch"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Effect from "effect/Effect"
import { digest, frequentWord, hanzi, makeRows, share, withSystemPrompt, word } from "./StudentShapes.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

const processorSeconds = Stopwatch.start(Stopwatch.processor)

const ofDesk = (rows: number): ReadonlyArray<Row> =>
  tickets({ rows, seed: 1 }).flatMap(({ completion, messages: [first, ...others] }) =>
    first === undefined ? [] : [{ messages: [{ ...first }, ...others.map((one) => ({ ...one }))], completion }]
  )

const shapes: Readonly<Record<string, () => ReadonlyArray<Row>>> = {
  "500 tickets": () => ofDesk(500),
  "2,000 tickets": () => ofDesk(2_000),
  "8,000 tickets": () => ofDesk(8_000),
  "2,000 of words, 2 labels": () => makeRows(2_000, 30, 2, frequentWord),
  "2,000 of words, 8 labels": () => makeRows(2_000, 30, 8, frequentWord),
  "2,000 of words, 40 labels": () => makeRows(2_000, 30, 40, frequentWord),
  "8,000 of words, 40 labels": () => makeRows(8_000, 30, 40, frequentWord),
  "1,000 of 1 KB": () => makeRows(1_000, 180, 8, frequentWord),
  "1,000 of 4 KB": () => makeRows(1_000, 720, 8, frequentWord),
  "500 of 10 KB": () => makeRows(500, 1_800, 8, frequentWord),
  "2,000 of random letters": () => makeRows(2_000, 30, 8, word),
  "10,000 of random letters": () => makeRows(10_000, 30, 8, word),
  "10,000 of random letters, 40 labels": () => makeRows(10_000, 30, 40, word),
  "1,000 of random letters, 2 KB": () => makeRows(1_000, 300, 8, word),
  "4,000 of two digests, 3 labels": () => makeRows(4_000, 2, 3, digest),
  "4,000 of Chinese": () => makeRows(4_000, 60, 8, hanzi),
  "8,000 of three words": () => makeRows(8_000, 3, 8, frequentWord),
  "2,000 of words after a prompt": () => makeRows(2_000, 30, 8, frequentWord).map(withSystemPrompt),
  "4,000 of words, 200 labels": () => makeRows(4_000, 30, 200, frequentWord),
  "5,000 of words, 1,000 labels": () => makeRows(5_000, 30, 1_000, frequentWord),
  "2,000 of words, two fields of 20 labels": () =>
    makeRows(2_000, 30, 400, frequentWord).map((row, index) => ({
      ...row,
      completion: JSON.stringify({ a: index % 20, b: Math.floor(index / 20) % 20 })
    })),
  "2,000 short and long": () =>
    makeRows(2_000, 1, 8, () => Array.from({ length: share() < 0.8 ? 20 : 1_200 }, frequentWord).join(" "))
}

const holdoutShare = 0.2
const bytesPerWeight = 4
const sample = 500

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
  const data = sizeOf({ trainRows, holdoutRows, profile })
  const { costMicros, gpuSeconds } = estimate({
    student: builtin,
    profile: local,
    stages: [
      { kind: "sft", config: { epochs: StudentTrial.epochs } },
      { kind: "eval", config: { sample } }
    ],
    data,
    builtinSpeed
  })
  const { bytes, seconds: training } = await Effect.runPromise(StudentTrial.train(rows.slice(0, trainRows)))
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  const took = training + answered(model, rows.slice(trainRows))
  const work = StudentWork.of(data, defaults.sft.max_seq_len)
  return {
    seconds: { estimated: gpuSeconds, took },
    usd: { estimated: costMicros / 1e6, took: (took * local.microsPerGpuSecond) / 1e6 },
    weights: { estimated: work.different * work.labels * bytesPerWeight, took: bytes.length }
  }
}

interface Pair {
  readonly estimated: number
  readonly took: number
}
const ratio = ({ estimated, took }: Pair): string => Table.figure(estimated / took, 2)

export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  const probed = await Effect.runPromise(Probe.measure)
  const speed = await Effect.runPromise(Probe.measureSpeed)
  process.stdout.write(`the probe took ${Table.figure(probed, 3)} s; this machine counts as ${speed}\n\n`)
  const lines: Array<ReadonlyArray<string>> = []
  for (const [name, rows] of Object.entries(shapes)) {
    if (parts.length > 0 && !parts.some((part) => name.includes(part))) continue
    const { seconds, usd, weights } = await measure(rows(), speed)
    process.stderr.write(`${name}: ${ratio(seconds)}\n`)
    lines.push([
      name,
      Table.figure(seconds.estimated, 2),
      Table.figure(seconds.took, 2),
      ratio(seconds),
      Table.figure(usd.estimated, 6),
      Table.figure(usd.took, 6),
      Table.mebibytes(weights.estimated),
      Table.mebibytes(weights.took),
      ratio(weights)
    ])
  }
  Table.print(
    `the builtin student in ${StudentTrial.epochs} epochs: seconds of a processor, dollars, and the model, estimated and as it was`,
    ["data", "seconds", "took", "ratio", "dollars", "took", "weights", "file", "ratio"],
    lines
  )
}
