import { assert, describe, it } from "@effect/vitest"
import * as Model from "@limbeck/executors/builtin/Model"
import { Unreadable } from "../../src/builtin/internal/Container.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import { generator } from "../../src/builtin/internal/Hashing.ts"
import * as Session from "../../src/builtin/internal/Session.ts"
import type { SparseMatrix } from "../../src/builtin/internal/vectors/CoOccurrences.ts"
import * as LeadingDirections from "../../src/builtin/internal/vectors/LeadingDirections.ts"
import { said, settings } from "./Sets.ts"

const topics = ["cards", "travel", "loans", "weather"]
const wordsPerTopic = 120

/** Texts of ten words, most of their topic's; a topic has too many words for a few rows to show. */
const texts = (count: number, seed: number): ReadonlyArray<Example> => {
  const next = generator(seed)
  const below = (bound: number): number => Math.floor((next() / 2 ** 32) * bound)
  return Array.from({ length: count }, (_, row) => {
    const topic = topics[row % topics.length]!
    const word = () => (below(10) < 7 ? `${topic}${below(wordsPerTopic)}` : `common${below(40)}`)
    // Words of one topic must not share pieces, by which n-grams would know it.
    const spelled = Array.from({ length: 10 }, word).map((one) => generator(hashOf(one))().toString(36))
    return said(spelled.join(" "), topic)
  })
}

const hashOf = (text: string): number => [...text].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 2 ** 31, 7)

const rows = texts(40, 1)
const unlabelled = texts(2_000, 2).map(({ turns }) => turns[0]!.text)
const fresh = texts(400, 3)

const given = settings({ bits: 16, epochs: 10, tries: true, wordVectors: true })

interface Trained {
  readonly bytes: Uint8Array
  readonly checkpoints: ReadonlyArray<Uint8Array>
}

const train = async (
  examples: ReadonlyArray<Example>,
  requests: ReadonlyArray<string>,
  over: Partial<Session.Plan> = {}
): Promise<Trained> => {
  const { promise, resolve } = Promise.withResolvers<Session.SessionEnd>()
  const checkpoints: Array<Uint8Array> = []
  let now = 0
  const plan = { settings: given, checkpoint: null, spentSeconds: 0, quantumSeconds: 1e6, checkpointSeconds: 40 }
  const session = Session.make(
    { ...plan, ...over },
    {
      breathe: () => Promise.resolve(),
      seconds: () => now++,
      say: (message) => {
        if (message.type === "ask") session.receive({ type: "answer", isGranted: true })
        if (message.type === "checkpoint") checkpoints.push(message.bytes)
        if (message.type === "ended") resolve(message.ending)
      }
    }
  )
  session.receive({ type: "examples", examples })
  session.receive({ type: "texts", texts: requests })
  session.receive({ type: "train" })
  const ending = await promise
  if (ending.type !== "finished") throw new Error(ending.type)
  return { bytes: ending.model, checkpoints }
}

const loaded = (bytes: Uint8Array): Model.Model => {
  const model = Model.load(bytes)
  if (model instanceof Unreadable) throw new Error(model.reason)
  return model
}

const accuracyOf = (bytes: Uint8Array): number => {
  const model = loaded(bytes)
  return fresh.filter(({ label, turns }) => model.predict(turns).text === label).length / fresh.length
}

describe("word vectors of a student's own", () => {
  it("learnt from texts without labels, lift a student of ten rows a label (P1580)", async () => {
    const { bytes } = await train(rows, unlabelled)
    const without = await train(rows, [], { settings: settings({ bits: 16, epochs: 10, tries: true }) })
    assert.strictEqual(loaded(bytes).about.dimensions, 64)
    assert.strictEqual(Model.formatOf(loaded(bytes).about), "limbeck-text-classifier/5")
    assert.isAbove(accuracyOf(bytes), accuracyOf(without.bytes) + 0.1)
    assert.isAbove(accuracyOf(bytes), 0.9)
  })

  it("give the same file from any checkpoint, and from texts in any order (P1581)", async () => {
    const { bytes, checkpoints } = await train(rows, unlabelled)
    assert.isAbove(checkpoints.length, 3)
    for (const checkpoint of [checkpoints[0]!, checkpoints.at(-1)!]) {
      assert.deepStrictEqual((await train(rows, unlabelled, { checkpoint })).bytes, bytes)
    }
    assert.deepStrictEqual((await train(rows, unlabelled.toReversed())).bytes, bytes)
  })

  it("are left out where they do no better, and the file keeps the form of before (P1582)", async () => {
    const luck = generator(11)
    const noise = texts(200, 1).map((row) => ({ ...row, label: `label ${luck() % 4}` }))
    const { about } = loaded((await train(noise, unlabelled)).bytes)
    assert.isUndefined(about.dimensions)
    assert.strictEqual(Model.formatOf(about), "limbeck-text-classifier/2")
  })

  it("are left out for a field that does no better with them, and taken for another (P1582)", async () => {
    const luck = generator(13)
    const twoFields = texts(160, 1).map((row) => ({
      ...row,
      label: JSON.stringify({ luck: `${luck() % 3}`, topic: row.label })
    }))
    const { bytes } = await train(twoFields, unlabelled)
    const model = loaded(bytes)
    assert.deepStrictEqual(
      model.about.fields?.heads.map(({ name }) => name),
      ["luck", "topic"]
    )
    const right = fresh.filter(({ label, turns }) => JSON.parse(model.predict(turns).text).topic === label).length
    assert.isAbove(right / fresh.length, 0.85)
  })
})

describe("the leading directions of a matrix", () => {
  it("are its eigenvectors of greatest magnitude", () => {
    // Ones within blocks of 5, 3 and 2: the eigenvalues are 5, 3 and 2, and each vector is constant within its block.
    const block = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2]
    const entries = block.flatMap((one, row) =>
      block.flatMap((other, column) => (one === other ? [{ row, column }] : []))
    )
    const offsets = Uint32Array.from({ length: 11 }, (_, row) => entries.filter((entry) => entry.row < row).length)
    const matrix: SparseMatrix = {
      size: 10,
      offsets,
      columns: Uint32Array.from(entries, ({ column }) => column),
      values: new Float32Array(entries.length).fill(1)
    }
    const steps = LeadingDirections.leading(matrix, { dimensions: 3, oversampling: 4, passes: 3, seed: 5 })
    let step = steps.next()
    while (step.done !== true) step = steps.next()
    const { rows, values, width } = step.value
    assert.deepStrictEqual(
      values.map((value) => Math.round(value * 1e6) / 1e6),
      [5, 3, 2]
    )
    for (const [row, of] of block.entries()) {
      for (let at = 0; at < width; at++) {
        const expected = of === at ? 1 / Math.sqrt([5, 3, 2][at]!) : 0
        assert.approximately(Math.abs(rows[row * width + at]!), expected, 1e-6)
      }
    }
  })
})
