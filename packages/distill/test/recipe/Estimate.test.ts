import { assert, describe, it } from "@effect/vitest"
import type { Census } from "@limbeck/distill/dataset/Census"
import { standard as profiles } from "@limbeck/distill/recipe/ComputeProfile"
import { estimate } from "@limbeck/distill/recipe/Estimate"
import type { Stage } from "@limbeck/distill/recipe/Recipe"
import { builtin, standard as students } from "@limbeck/distill/recipe/StudentBase"
import type { DataSize } from "../../src/recipe/internal/DataSize.ts"

const profile = profiles.find(({ id }) => id === "l4")!
const student = students.find(({ id }) => id === "Qwen/Qwen3-0.6B")!
const data: DataSize = { trainRows: 1_000, holdoutRows: 100, promptTokens: 90, completionTokens: 10, labels: 8 }
const sft = (config: Extract<Stage, { kind: "sft" }>["config"] = {}): Stage => ({ kind: "sft", config })
const secondsOf = (stages: ReadonlyArray<Stage>, size = data) =>
  estimate({ student, profile, stages, data: size }).gpuSeconds

describe("Estimate", () => {
  it("sft is E·T·6P·(2/3)/(U·F) and a minute to start: worked out by hand", () => {
    // 3 epochs × 100,000 tokens × 6 × 0.6e9 × 2/3 = 7.2e14 FLOP; L4 at 10 % does 1.21e13 a second.
    const { assumptions, costMicros, gpuSeconds } = estimate({ student, profile, stages: [sft()], data })
    assert.closeTo(gpuSeconds, 60 + 7.2e14 / 1.21e13, 0.001)
    assert.strictEqual(costMicros, Math.ceil(gpuSeconds * 222))
    assert.deepInclude(assumptions, { parameters: 600_000_000, utilisation: 0.1, startup_seconds: 60 })
  })

  it("more epochs, rows or tokens take longer; a shorter sequence bounds what is read", () => {
    const base = secondsOf([sft({ epochs: 2 })])
    assert.isAbove(secondsOf([sft({ epochs: 4 })]), base)
    assert.isAbove(secondsOf([sft({ epochs: 2 })], { ...data, trainRows: 2_000 }), base)
    assert.isBelow(secondsOf([sft({ epochs: 2, max_seq_len: 50 })]), base)
  })

  it("grpo grows with its steps and its group; eval with its sample; publish is free", () => {
    const grpo = (steps: number, group_size: number) => secondsOf([{ kind: "grpo", config: { steps, group_size } }])
    assert.isAbove(grpo(200, 8), grpo(100, 8))
    assert.isAbove(grpo(100, 16), grpo(100, 8))
    const evaluation = (sample: number) => secondsOf([{ kind: "eval", config: { sample } }])
    assert.isAbove(evaluation(100), evaluation(10))
    assert.strictEqual(evaluation(1_000), evaluation(100))
    assert.strictEqual(secondsOf([{ kind: "publish", config: {} }]), 60)
  })

  describe("of the builtin student", () => {
    const local = profiles[0]!
    const builtinOf = (stages: ReadonlyArray<Stage>, size = data) =>
      estimate({ student: builtin, profile: local, stages, data: size })
    /** Of 1,000 rows of 360 characters in 10 epochs. */
    const vectors = 0.4e9 + 360_000 * 120 + 1_000 * 64 * 10 * 5 * 39
    const evaluation = (sample: number): Stage => ({ kind: "eval", config: { sample } })

    it("is finite for a census of no rows or of no labels (P801)", () => {
      const counts = { requestCharacters: 0, contextCharacters: 0, features: 0, different: 0, single: 0, everywhere: 0 }
      for (const rows of [0, 400]) {
        const census: Census = { ...counts, rows, features: 90 * rows, beyond: [], labels: 0 }
        const made = builtinOf([sft(), evaluation(10)], { ...data, trainRows: rows, labels: null, census })
        const numbers = Object.values({ ...made, ...made.assumptions }).filter((value) => typeof value === "number")
        assert.isTrue(numbers.every(Number.isFinite), JSON.stringify(made))
      }
    })

    it("is seconds of a core: characters are read once, features learnt in every epoch, for each label", () => {
      // 360 characters a row: 720 features, each sorted in 40 ns and learnt for novelty in 200 beside
      // 90 µs for the row, and those in more than one
      // row learnt in (2.9 + 9.875 × 0.8) × 10 epochs for 3 + 8 × 4.5 ns, in 5 × 0.8 + 1 of them beside 64 numbers of word vectors,
      // which take 0.4 s and 120 ns a character; then 8 weights per distinct feature are written.
      const different = 75 * 720_000 ** 0.46
      const learnt = 720_000 - 0.4 * different
      const nanos =
        360_000 * 95 +
        720_000 * 40 +
        1_000 * 90_000 +
        720_000 * 200 +
        learnt * 10 * 10.8 * 39 +
        vectors +
        0.6 * different * 8 * 20
      const { costMicros, gpuSeconds } = builtinOf([sft({ epochs: 10 })])
      assert.closeTo(gpuSeconds, 0.02 + nanos / 1e9, 0.0006)
      assert.strictEqual(costMicros, Math.ceil(gpuSeconds * local.microsPerGpuSecond))
    })

    it("is less for what only surrounds the request, for long texts, and on a faster machine", () => {
      const seconds = (size: Partial<DataSize>, builtinSpeed = 1) =>
        estimate({ student: builtin, profile: local, stages: [sft()], data: { ...data, ...size }, builtinSpeed })
          .gpuSeconds
      assert.isBelow(seconds({ requestTokens: 30 }), 0.6 * seconds({ requestTokens: 90 }))
      assert.isBelow(seconds({ promptTokens: 2_000 }), 17 * seconds({ promptTokens: 100 }))
      assert.closeTo(seconds({}, 2), seconds({}) / 2, 0.001)
      // With more rows than fit, the student learns from a sample.
      assert.isBelow(seconds({ trainRows: 1_000_000 }), 7 * seconds({ trainRows: 100_000 }))
    })

    const census: Census = {
      rows: 1_000,
      requestCharacters: 360_000,
      contextCharacters: 0,
      features: 720_000,
      different: 30_000,
      single: 10_000,
      everywhere: 10,
      beyond: [500_000, 400_000, 300_000, 200_000, 100_000, 0, 0, 0],
      labels: 8
    }

    it("goes by what was counted of the rows: fewer features take less, those that lie far apart take more (P98)", () => {
      const seconds = (counted: Partial<Census>, size: Partial<DataSize> = {}) =>
        builtinOf([sft({ epochs: 10 })], { ...data, ...size, census: { ...census, ...counted } })
      // 700,000 features are learnt, at 8 bytes for each of 8 labels: 1 MB holds the 15,625 most frequent.
      const learnt = 720_000 - 10_000 - 10 * 1_000
      const far = (200_000 - 100_000 * (Math.log2(15_625) - 13)) / learnt
      const nanos =
        360_000 * 95 +
        720_000 * 40 +
        1_000 * 90_000 +
        720_000 * 200 +
        learnt * 10 * 10.8 * (39 + 64 * far) +
        vectors +
        19_990 * 8 * 20
      const { assumptions, gpuSeconds } = seconds({})
      assert.closeTo(gpuSeconds, 0.02 + nanos / 1e9, 0.0006)
      assert.deepInclude(assumptions, { counted_rows: 1_000, features_per_row: 720, learnt_features_per_row: 700 })
      assert.isBelow(seconds({ features: 360_000, beyond: [] }).gpuSeconds, 0.6 * gpuSeconds)
      assert.isBelow(seconds({ beyond: [] }).gpuSeconds, gpuSeconds)
      // Ten times the rows have ten times the features, learnt in fewer passes, and no more places than there are.
      const more = seconds({}, { trainRows: 10_000 })
      assert.isAbove(more.gpuSeconds, 9 * (4.4 / 10.8) * gpuSeconds)
      assert.isBelow(Number(more.assumptions["different_features"]), 2 ** 18)
    })

    it("grows with epochs, rows, tokens and labels, and with no more than the sample of an evaluation", () => {
      const seconds = (stages: ReadonlyArray<Stage>, size = data) => builtinOf(stages, size).gpuSeconds
      assert.isAbove(seconds([sft({ epochs: 20 })]), seconds([sft({ epochs: 10 })]))
      for (const more of [{ trainRows: 2_000 }, { promptTokens: 180 }, { labels: 16 }]) {
        assert.isAbove(seconds([sft()], { ...data, ...more }), seconds([sft()]))
      }
      assert.isBelow(seconds([sft({ max_seq_len: 16 })]), seconds([sft()]))
      assert.strictEqual(seconds([evaluation(1_000)]), seconds([evaluation(100)]))
      assert.isBelow(seconds([evaluation(50)]), seconds([evaluation(100)]))
    })

    it("tells all that it assumes, and takes seconds where a language model takes minutes", () => {
      const { assumptions, wallClockMinutes } = builtinOf([sft()], { ...data, labels: null })
      assert.deepInclude(assumptions, { labels: 8, queue_seconds: 1, machine_speed: 1, features_per_row: 720 })
      assert.isBelow(wallClockMinutes, 0.1)
    })
  })
})
