import { assert, describe, it } from "@effect/vitest"
import * as Model from "@limbeck/executors/builtin/Model"
import { Unreadable } from "../../src/builtin/internal/Container.ts"
import type { Example } from "../../src/builtin/internal/Examples.ts"
import { generator } from "../../src/builtin/internal/Hashing.ts"
import * as LabelNames from "../../src/builtin/internal/names/LabelNames.ts"
import { nothing } from "../../src/builtin/internal/Reading.ts"
import * as Session from "../../src/builtin/internal/Session.ts"
import type { Settings } from "../../src/builtin/Settings.ts"
import { said, settings } from "./Sets.ts"

const things = ["card", "account", "invoice", "parcel", "password"]
const fates = ["lost", "blocked", "delayed", "wrong"]
const labels = things.flatMap((thing) => fates.map((fate) => `${fate}_${thing}`))
/** Of no use. */
const codes = labels.map((_, at) => `c${((at + 3) * 7_919).toString(36)}`)

/** Texts of common words, with most words of the label's name and sometimes a word of another one. */
const texts = (rowsEach: number, seed: number, names: ReadonlyArray<string>): ReadonlyArray<Example> => {
  const next = generator(seed)
  const below = (bound: number): number => Math.floor((next() / 2 ** 32) * bound)
  return Array.from({ length: rowsEach * labels.length }, (_, row) => {
    const at = row % labels.length
    const own = labels[at]!.split("_").filter(() => below(10) < 8)
    const others = below(10) < 3 ? [things[below(things.length)]!] : []
    const words = Array.from({ length: 6 }, () => `common${below(60)}`)
    return said([...words.slice(0, 3), ...own, ...words.slice(3), ...others].join(" "), names[at]!)
  })
}

const given = settings({ bits: 16, epochs: 10, tries: true })

interface Trained {
  readonly model: Model.Model
  readonly logs: ReadonlyArray<string>
}

const train = async (
  examples: ReadonlyArray<Example>,
  over: Partial<Settings>,
  checkpoint: Uint8Array | null = null
): Promise<Trained & { readonly bytes: Uint8Array; readonly checkpoints: ReadonlyArray<Uint8Array> }> => {
  const { promise, resolve } = Promise.withResolvers<Session.SessionEnd>()
  const logs: Array<string> = []
  const checkpoints: Array<Uint8Array> = []
  let now = 0
  const spent = { checkpoint, spentSeconds: 0, quantumSeconds: 1e6, checkpointSeconds: 40 }
  const session = Session.make(
    { settings: { ...given, ...over }, ...spent },
    {
      breathe: () => Promise.resolve(),
      seconds: () => now++,
      say: (message) => {
        if (message.type === "ask") session.receive({ type: "answer", isGranted: true })
        if (message.type === "log") logs.push(message.message)
        if (message.type === "checkpoint") checkpoints.push(message.bytes)
        if (message.type === "ended") resolve(message.ending)
      }
    }
  )
  session.receive({ type: "examples", examples })
  session.receive({ type: "train" })
  const ending = await promise
  if (ending.type !== "finished") throw new Error(ending.type)
  const model = Model.load(ending.model)
  if (model instanceof Unreadable) throw new Error(model.reason)
  return { model, logs, bytes: ending.model, checkpoints }
}

const rightOf = ({ model }: Trained, asked: ReadonlyArray<Example>): number =>
  asked.filter(({ label, turns }) => model.predict(turns).text === label).length / asked.length

describe("names of labels", () => {
  it("lift a student of few rows, and a resumed training makes the same file (P1767)", async () => {
    const rows = texts(5, 1, labels)
    const fresh = texts(30, 2, labels)
    const named = await train(rows, { names: true })
    const plain = await train(rows, {})
    assert.include(named.logs, "Label names are used as first weights")
    assert.isAbove(rightOf(named, fresh), rightOf(plain, fresh) + 0.05)
    assert.strictEqual(Model.formatOf(named.model.about), Model.formatOf(plain.model.about))
    assert.isAbove(named.checkpoints.length, 3)
    for (const checkpoint of [named.checkpoints[0]!, named.checkpoints.at(-1)!]) {
      assert.deepStrictEqual((await train(rows, { names: true }, checkpoint)).bytes, named.bytes)
    }
  })

  it("are left out where they do no better, and where rows are many (P1768)", async () => {
    const rows = texts(5, 1, codes)
    const named = await train(rows, { names: true })
    const plain = await train(rows, {})
    assert.include(named.logs, "Label names are not used as first weights")
    for (const { turns } of texts(2, 2, codes)) {
      assert.deepStrictEqual(named.model.predict(turns).distribution, plain.model.predict(turns).distribution)
    }
    const many = await train(texts(31, 3, labels), { names: true })
    assert.isTrue(many.logs.every((line) => !line.startsWith("Label names")))
  })

  it("are words, with the description of a list item of the common system prompt (P1769)", () => {
    const system = [
      "Sort the message into one of:",
      "- lost_card: the customer cannot find a card",
      '2. "blockedAccount" – nobody can sign in (any reason)',
      "* `other` = everything else",
      "Note: answer with the label alone."
    ].join("\n")
    const named = (label: string) => LabelNames.textsOf([label], { system })[0]
    assert.strictEqual(named("lost_card"), "lost card the customer cannot find a card")
    assert.strictEqual(named("blockedAccount"), "blocked Account nobody can sign in (any reason)")
    assert.strictEqual(named('"other"'), "other everything else")
    assert.strictEqual(named("wrong-invoice.total"), "wrong invoice total")
    assert.deepStrictEqual(LabelNames.textsOf(["a_b"], nothing), ["a b"])
  })
})
