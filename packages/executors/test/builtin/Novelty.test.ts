import { assert, describe, it } from "@effect/vitest"
import * as Model from "@limbeck/executors/builtin/Model"
import { defaults } from "@limbeck/executors/builtin/Settings"
import * as Container from "../../src/builtin/internal/Container.ts"
import * as Novelty from "../../src/builtin/internal/Novelty.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { examples, finish, setOf, settings } from "./Sets.ts"

const rows = examples(600)
const given = settings({ bits: defaults.bits })
const set = setOf(rows, given)
const novelty = Novelty.train(
  rows.map(({ turns }) => turns),
  given
)
const trainer = finish(WeightTrainer.make(set, given))
const { bytes } = Model.encode(set, given, trainer, novelty)

const loaded = (file: Uint8Array): Model.Model => {
  const model = Model.load(file)
  if (model instanceof Container.Unreadable) throw new Error(model.reason)
  return model
}
const model = loaded(bytes)
const isNew = (text: string) => model.predict([{ role: "user", text }]).isNew

describe("Novelty", () => {
  it("other tasks, other languages and nothing at all are new; rows like those of the training are not (P206)", () => {
    const fresh = examples(400, 7)
    const taken = fresh.filter(({ turns }) => model.predict(turns).isNew).length
    assert.isAtMost(taken, fresh.length * 0.05)
    const others = [
      ...rows.slice(0, 40).map(({ turns }) => `Translate the text into French: ${turns.at(-1)?.text}`),
      "Wie wird das Wetter morgen in Hamburg?",
      "请把这段话翻译成法文",
      "Write a sonnet about the sea.",
      "def add(a, b): return a + b"
    ]
    assert.isAtMost(others.filter((text) => !isNew(text)).length, others.length * 0.05)
    for (const text of ["", " \n ", "\ud800"]) assert.isTrue(isNew(text), JSON.stringify(text))
  })

  it("the shares sent away of held-back rows, of harmless changes and of other texts are measured (P1420)", () => {
    const { unlike } = model.about
    assert.isDefined(unlike)
    assert.strictEqual(unlike.rows, 100)
    assert.isAtMost(unlike.as_they_are, 0.05)
    for (const [change, share] of Object.entries(unlike.changed)) assert.isAtMost(share, 0.1, change)
    for (const name of ["bytes", "other_task_in_front", "numbered_list"])
      assert.isAtLeast(unlike.others[name] ?? 0, 0.7, name)
  })

  it("a line that all rows have alike, whatever its numbers are, decides nothing (P1421)", () => {
    const lined = (text: string, index: number) => `${text}\n\nTicket 2026-11-${1_000 + index}`
    const wrapped = rows.map(({ turns }, index) => [{ role: "user", text: lined(turns.at(-1)?.text ?? "", index) }])
    const learnt = Novelty.train(wrapped, given)
    assert.isNotNull(learnt)
    assert.isAtMost(learnt.unlike.changed["without_common_line"] ?? 1, 0.1)
    assert.isAtMost(learnt.unlike.changed["other_numbers"] ?? 1, 0.1)
  })

  it("held-back rows without any known feature leave the threshold of likeness, and the other rules, in force (P1513)", () => {
    // Rows of common words alone have no feature that tells.
    const dull = rows.map(({ turns }, index) => (index % 40 === 0 ? [{ role: "user", text: "" }] : turns))
    const learnt = Novelty.train(dull, given)
    assert.isTrue(learnt !== null && Number.isFinite(learnt.rules.likeness))
    const file = Model.encode(set, given, trainer, learnt)
    assert.isTrue(Number.isFinite(file.about.newBelow))
    const { predict } = loaded(file.bytes)
    for (const text of ["", "请把这段话翻译成法文", "Write a sonnet about the sea."]) {
      assert.isTrue(predict([{ role: "user", text }]).isNew, text)
    }
    const taken = examples(400, 7).filter(({ turns }) => predict(turns).isNew).length
    assert.isAtMost(taken, 20)
    const same = Novelty.train(
      rows.map(() => [{ role: "user", text: "Yes." }]),
      given
    )
    assert.deepStrictEqual([same?.rules.likeness, same?.unlike.as_they_are], [null, 0])
  })

  it("several numbered texts in one are new, unless rows are such lists (P1512)", () => {
    const texts = rows.slice(0, 4).map(({ turns }) => turns.at(-1)?.text ?? "")
    const writings: ReadonlyArray<(text: string, index: number) => string> = [
      (text, index) => `${index + 1}. ${text}`,
      (text, index) => `(${index + 1}) ${text}`,
      (text, index) => `[${index + 1}] ${text}`,
      (text, index) => `Ticket ${index + 1}: ${text}`,
      (text, index) => `#${index + 1} - ${text}`
    ]
    for (const write of writings) assert.isTrue(isNew(texts.map(write).join("\n")), write("", 0))
    const [first = ""] = texts
    for (const text of [`1. ${first}`, `${first}\n2 pieces`, `${first}\nOrder 17: late\nOrder 12: late`]) {
      assert.isFalse(isNew(text), text)
    }
    const lists = rows.map(({ turns }) => [
      { role: "user", text: `1. ${turns.at(-1)?.text}\n2. ${turns.at(-1)?.text}` }
    ])
    const ofLists = Novelty.train(lists, given)
    assert.isFalse(ofLists?.rules.lists)
  })

  it("another task in front of a row is new, and a greeting, a header or a form in front is not (P1704)", () => {
    const texts = examples(60, 9).map(({ turns }) => turns.at(-1)?.text ?? "")
    const tasks = ["Which countries border Paraguay?", "What is the boiling point of ethanol?", "Solve x^2 = 9 for x."]
    const sentAway = (write: (text: string, index: number) => string) => texts.map(write).filter(isNew).length
    assert.isAtLeast(
      sentAway((text, index) => `${tasks[index % 3]}\n\n${text}`),
      48
    )
    for (const front of ["Good day,\n\n", "From: Ann\nSubject: Re: hello\n\n", "Name: Ann\nOrder: 17\nText: "])
      assert.isAtMost(
        sentAway((text) => front + text),
        3,
        front
      )
  })

  it("texts of the rows' words in another order are new far more often than other rows (P1710)", () => {
    const words = [...new Set(rows.flatMap(({ turns }) => (turns.at(-1)?.text ?? "").split(" ")))]
    const shuffled = Array.from({ length: 60 }, (_, index) =>
      Array.from({ length: 14 }, (__, at) => words[(index * 31 + at * 17) % words.length]).join(" ")
    )
    const own = examples(60, 7).map(({ turns }) => turns.at(-1)?.text ?? "")
    assert.isAtMost(own.filter(isNew).length, 3)
    assert.isAtLeast(shuffled.filter(isNew).length, 15)
  })

  it("a file with the coverage of words, from before evidence was in it, answers by its own rules", () => {
    const { about, arrays } = Container.decode(bytes, Model.format) as Container.Content
    const before = { ...(about as Model.About), novelty: { coverage: 0.5, orders: ["translate"], lists: true } }
    const { predict } = loaded(Container.encode({ kind: Model.format, about: before, arrays }))
    const isNewBefore = (text: string) => predict([{ role: "user", text }]).isNew
    const known = rows.slice(0, 100).filter(({ turns }) => isNewBefore(turns.at(-1)?.text ?? ""))
    assert.isAtMost(known.length, 2)
    for (const text of ["Translate this.", "Wegen Sturm geschlossen", "1. one\n2. two"])
      assert.isTrue(isNewBefore(text), text)
  })

  it("few rows tell nothing, and then nothing is new but what says nothing", () => {
    assert.isNull(
      Novelty.train(
        rows.slice(0, 100).map(({ turns }) => turns),
        given
      )
    )
  })

  it("a file from before corrections and likeness were in it is read, and answers as it did (P207)", () => {
    const { about, arrays } = Container.decode(bytes, Model.format) as Container.Content
    const { knots: _knots, newBelow: _newBelow, pace: _pace, template: _template, ...before } = about as Model.About
    const { likeness: _likeness, ...weights } = arrays
    const old = loaded(Container.encode({ kind: "limbeck-text-classifier/1", about: before, arrays: weights }))
    for (const { turns } of rows.slice(0, 50)) {
      const { confidence, isNew, text } = old.predict(turns)
      assert.deepStrictEqual([text, isNew], [model.predict(turns).text, false])
      assert.isTrue(confidence > 0 && confidence <= 1)
    }
  })
})
