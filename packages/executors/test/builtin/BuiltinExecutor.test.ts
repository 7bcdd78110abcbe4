import { assert, describe, it } from "@effect/vitest"
import type { Row } from "@limbeck/distill/dataset/Row"
import type { Executor, Progress } from "@limbeck/distill/run/Executor"
import type { RunStage } from "@limbeck/distill/run/Run"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Crypto from "@limbeck/node/Crypto"
import * as Plans from "@limbeck/testing/fixtures/Plans"
import * as StageContexts from "@limbeck/testing/fixtures/StageContexts"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Unreadable } from "../../src/builtin/internal/Container.ts"

const stepSeconds = 0.005
/** Each step of work counts alike, on every machine. */
const counted = BuiltinExecutor.make({ stopwatch: { type: "counting", secondsPerReading: stepSeconds } })

const rows: ReadonlyArray<Row> = tickets({ rows: 600, seed: 1 }).map(({ completion, messages: [first, ...rest] }) => ({
  messages: [first!, ...rest],
  completion
}))
const holdoutRows = 100

const version = Plans.version({
  rows: rows.length,
  trainRows: rows.length - holdoutRows,
  holdoutRows,
  tokens: rows.length * 40
})

const recipeAsSent = {
  student_model: Plans.builtin,
  stages: [
    { kind: "sft", config: { epochs: 5 } },
    { kind: "eval", config: { sample: 60 } },
    { kind: "publish", config: {} }
  ],
  rewards: []
}

const run = Plans.newRun(version, { recipeAsSent, dryRun: false }, { executor: BuiltinExecutor.builtinName })

type Result = Extract<Progress, { readonly _tag: "Finished" }>

const keyed = (some: ReadonlyArray<Row>) => some.map((row, index) => ({ key: `${index}`, row }))
const sides = { train: keyed(rows.slice(holdoutRows)), holdout: keyed(rows.slice(0, holdoutRows)) }

const stageOf = (kind: RunStage["kind"]): RunStage => run.stages.find((stage) => stage.kind === kind)!

/** The paces that are tried, with the epochs of the recipe twice and a third of them once; and the parts that are held back in turn, twice: without and with word vectors. */
const [trials, trialEpochs, parts] = [3, 2 * 5 + 2, 5]

/** The run's stages once sft has succeeded with this. */
const trained = (result: Result): ReadonlyArray<RunStage> =>
  run.stages.map((stage) => (stage.kind === "sft" ? { ...stage, status: "succeeded", result: result.result } : stage))

/** One attempt of a stage: its progress, its reservations, and its failure, if any. */
const perform = Effect.fnUntraced(function* (
  stage: RunStage,
  { budgetMicros = run.budgetMicros, holdout = sides.holdout, kept = StageContexts.memory(), stages = run.stages } = {},
  executor: Executor = counted
) {
  const of = { ...run, stages, budgetMicros }
  const own = { ...version, holdoutRows: holdout.length }
  const sample = { run: of, stage, version: own, rows: { ...sides, holdout } }
  const { asked, context } = yield* StageContexts.make(sample, kept)
  const said: Array<Progress> = []
  const failure = yield* executor.execute(context).pipe(
    Stream.runForEach((one) => Effect.sync(() => said.push(one))),
    Effect.as(null),
    Effect.catch(Effect.succeed)
  )
  return { said, asked, failure }
}, Effect.provide(Crypto.layer))

const resultOf = (said: ReadonlyArray<Progress>): Result => {
  const last = said.at(-1)
  if (last?._tag !== "Finished") throw new Error("no result")
  return last
}

const all = <T extends Progress["_tag"]>(said: ReadonlyArray<Progress>, tag: T) =>
  said.filter((one): one is Extract<Progress, { readonly _tag: T }> => one._tag === tag)

const artifactOf = ({ result }: Result) => (result as { readonly artifact: { readonly sha256: string } }).artifact

/** A single training run, shared by all tests with checks on the outcome. */
const training = Effect.runSync(
  Effect.cached(
    Effect.suspend(() => {
      const kept = StageContexts.memory()
      return Effect.map(perform(stageOf("sft"), { kept }), (performed) => ({ kept, ...performed }))
    })
  )
)

describe("BuiltinExecutor", () => {
  it.effect("sft: trains with the epochs of the recipe, says metrics, and keeps a model that can be loaded", () =>
    Effect.gen(function* () {
      const { kept, said } = yield* training
      const losses = all(said, "Metric").filter(({ name }) => name === "train_loss")
      // Two trials of the recipe's epochs and one of a third of them, the best for each of four more held-back parts and for all
      // five with word vectors, and a final one over all rows.
      const steps = losses.map(({ step }) => step)
      assert.deepStrictEqual(
        steps,
        [...steps.keys()].map((index) => index + 1)
      )
      assert.include([trialEpochs + 2 * parts * 5, trialEpochs + 2 * parts * 2], steps.length)
      assert.notInstanceOf(Model.load(kept.get(artifactOf(resultOf(said)).sha256)!), Unreadable)
      const unmetered = (all: ReadonlyArray<Progress>) =>
        all.filter(({ _tag }) => _tag !== "Spend" && _tag !== "Checkpoint")
      assert.deepStrictEqual(unmetered((yield* perform(stageOf("sft"))).said), unmetered(said))
    })
  )

  it.effect("sft: is metered by the time that it takes, asked for before", () =>
    Effect.gen(function* () {
      const { asked, said } = yield* training
      const spent = all(said, "Spend").at(-1)?.usage.gpuSeconds ?? 0
      const { examples, pace, validation } = resultOf(said).result as {
        readonly examples: number
        readonly pace: { readonly epochs: number }
        readonly validation: { readonly rows: number }
      }
      const [whole, part] = [sides.train.length, sides.train.length - validation.rows / parts]
      const partEpochs = trialEpochs + (2 * parts - 1) * pace.epochs
      assert.strictEqual(examples, partEpochs * part + pace.epochs * whole)
      // Each epoch has steps of 16 rows, and the last has fewer.
      const learning = partEpochs * Math.ceil(part / 16) + pace.epochs * Math.ceil(whole / 16)
      const receiving = Math.ceil(whole / 256)
      // Each trial and each part that is held back later is judged; the set, the novelty detector, the model and the suspects take one step each,
      // and the word vectors one for the matrix, two a pass and one for the small matrix, one for the words, and one for the rows.
      const words = 1 + 2 * 3 + 1 + 1 + 1
      const others = trials + (2 * parts - 1) + words + all(said, "Checkpoint").length + 4
      // The learning curve: an eighth, a quarter and a half of a part, each learnt and judged.
      const curve = [8, 4, 2].map((step) => pace.epochs * Math.ceil(Math.ceil(part / step) / 16) + 1)
      const measuring = curve.reduce((sum, steps) => sum + steps, 0)
      assert.strictEqual(Math.round(spent / stepSeconds), receiving + learning + others + measuring)
      assert.isAtMost(spent, asked.at(-1)?.gpuSeconds ?? 0)
    })
  )

  it.effect("sft: is metered by the processor, where nothing else is said", () =>
    Effect.gen(function* () {
      const before = process.cpuUsage()
      const { said } = yield* perform(stageOf("sft"), {}, BuiltinExecutor.executor)
      const { system, user } = process.cpuUsage(before)
      const spent = all(said, "Spend").at(-1)?.usage.gpuSeconds ?? 0
      assert.isAbove(spent, 0)
      // Compares with the whole process, which includes the training thread. An older Node cannot measure a single thread.
      if (typeof process.threadCpuUsage === "function") assert.isBelow(spent, (system + user) / 1e6)
    })
  )

  it.effect("sft: out of budget it keeps what was paid for; with more, it goes on from there to the same model", () =>
    Effect.gen(function* () {
      const kept = StageContexts.memory()
      const long = { ...stageOf("sft"), config: { epochs: 10 } }
      // A fifth of a second, partly spent on reading the rows.
      const poor = yield* perform(long, { kept, budgetMicros: run.prices.microsPerGpuSecond / 5 })
      assert.strictEqual(poor.failure?.code, "budget_exceeded")
      const checkpoint = all(poor.said, "Checkpoint").at(-1)!
      assert.isAtMost(checkpoint.usage.gpuSeconds, 1 / 5)
      assert.deepStrictEqual(all(poor.said, "Spend").at(-1)?.usage, checkpoint.usage)
      const rest = yield* perform({ ...long, checkpoint }, { kept })
      assert.isTrue(rest.asked.every(({ gpuSeconds }) => gpuSeconds > checkpoint.usage.gpuSeconds))
      assert.isAbove(all(rest.said, "Spend").at(-1)?.usage.gpuSeconds ?? 0, checkpoint.usage.gpuSeconds)
      assert.deepStrictEqual(resultOf(rest.said), resultOf((yield* perform(long)).said))
    })
  )

  it.effect("sft: without a budget it does nothing, and has come to nothing", () =>
    Effect.gen(function* () {
      const { failure, said } = yield* perform(stageOf("sft"), { budgetMicros: 0 })
      assert.strictEqual(failure?.code, "budget_exceeded")
      assert.deepStrictEqual(said, [{ _tag: "Spend", usage: { gpuSeconds: 0, judgeTokens: 0 } }])
    })
  )

  it.effect("eval: answers as many holdout rows as the recipe says, each once, and tells how often it was right", () =>
    Effect.gen(function* () {
      const { kept, said: messages } = yield* training
      const stages = trained(resultOf(messages))
      const { said } = yield* perform(stageOf("eval"), { kept, stages })
      const answers = all(said, "Answer")
      assert.strictEqual(new Set(answers.map(({ row }) => row.key)).size, 60)
      const spent = all(said, "Spend").map(({ usage }) => usage.gpuSeconds)
      assert.deepStrictEqual(
        spent,
        spent.toSorted((a, b) => a - b)
      )
      for (const { confidence } of answers) assert.isTrue(confidence === null || (confidence >= 0 && confidence <= 1))
      assert.isAbove(answers.filter(({ confidence }) => confidence !== null).length, 50)
      const right = answers.filter(({ completion, row }) => row.row.completion === completion)
      const accuracy = all(said, "Metric").find(({ name }) => name === "accuracy")
      assert.strictEqual(accuracy?.value, right.length / 60)
      assert.isAbove(accuracy?.value ?? 0, 0.6)
    })
  )

  it.effect("eval: tells no confidence of a row that is unlike the others, which no threshold answers (P1534)", () =>
    Effect.gen(function* () {
      const { kept, said: messages } = yield* training
      const stages = trained(resultOf(messages))
      const unlike: Row = { messages: [{ role: "user", content: "zxq vlorp 77 brrk ümläut qqq" }], completion: "bug" }
      const holdout = keyed([unlike, ...rows.slice(0, 20)])
      const { said } = yield* perform(stageOf("eval"), { kept, stages, holdout })
      const [first, ...others] = all(said, "Answer")
      assert.isNull(first?.confidence)
      assert.isAbove(others.filter(({ confidence }) => confidence !== null).length, 15)
    })
  )

  it.effect("publish: names the artifact of sft; where there is none, it fails for good", () =>
    Effect.gen(function* () {
      const { kept, said } = yield* training
      const result = resultOf(said)
      const published = yield* perform(stageOf("publish"), { kept, stages: trained(result) })
      assert.deepStrictEqual(resultOf(published.said).result, { artifact: artifactOf(result) })
      const { failure } = yield* perform(stageOf("publish"))
      assert.deepStrictEqual([failure?.code, failure?.retryable], ["no_model", false])
    })
  )

  it("reads tool calls and empty completions as no label, and text parts as text", () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "a question" }] }] as const
    assert.deepStrictEqual(exampleOf({ messages, completion: "yes" }), {
      turns: [{ role: "user", text: "a question" }],
      label: "yes"
    })
    assert.isNull(exampleOf({ messages, completion: "" }).label)
    assert.isNull(exampleOf({ messages, completion: { role: "assistant", content: "x", tool_calls: [{}] } }).label)
  })
})
