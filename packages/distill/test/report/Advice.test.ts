import { assert, describe, it } from "@effect/vitest"
import * as Advice from "@limbeck/distill/report/Advice"
import { textAndCalls } from "@limbeck/distill/reward/Completion"

const answered = (teacher: string, student: string, confidence: number | null, count = 1) =>
  Array.from(
    { length: count },
    (): Advice.AnsweredRows => ({ teacher, student, agrees: teacher === student, confidence })
  )

const items = [
  ...answered("ham", "ham", 0.99, 120),
  ...answered("spam", "spam", 0.95, 60),
  ...answered("spam", "ham", 0.55, 15),
  ...answered("ham", "spam", 0.65, 5)
]
const costs = { student: 0.001, teacher: 1 }
const advice = Advice.make(items, costs, 0.5)

describe("Advice", () => {
  it("sets the student beside a constant, and says how each label fares and what is taken for what (P208)", () => {
    assert.deepStrictEqual(advice.most_frequent, { answer: "ham", share: 0.625, beaten: true })
    assert.deepStrictEqual(advice.labels, [
      { label: "ham", support: 125, precision: 120 / 135, recall: 120 / 125 },
      { label: "spam", support: 75, precision: 60 / 65, recall: 60 / 75 }
    ])
    assert.deepStrictEqual(advice.confusions, [
      { teacher: "spam", student: "ham", count: 15 },
      { teacher: "ham", student: "spam", count: 5 }
    ])
    const constant = Advice.make([...answered("no", "no", 0.9, 90), ...answered("yes", "no", 0.9, 10)], costs, 0)
    assert.isFalse(constant.most_frequent?.beaten)
    assert.match(constant.notes.join("\n"), /not surely better than always answering "no", which is right in 90.0 %/)
  })

  it("sets the teacher beside itself where a prompt was asked more than once (P252)", () => {
    const asked = (promptKey: string, teacher: string): Advice.AnsweredRows => ({
      teacher,
      student: "ham",
      agrees: teacher === "ham",
      confidence: 0.9,
      promptKey
    })
    const twice = [asked("a", "ham"), asked("a", "Ham."), asked("a", "spam"), asked("b", "ham"), asked("b", "spam")]
    const { notes, teacher_itself } = Advice.make([...twice, asked("c", "ham")], costs, 0)
    assert.deepInclude(teacher_itself, { prompts: 2, agreement: 0.5 })
    assert.match(notes.join("\n"), /says the same as itself in 50.0 % of 2 prompts/)
    assert.isNull(Advice.make([asked("c", "ham"), asked("d", "ham")], costs, 0).teacher_itself)
    assert.isNull(advice.teacher_itself)
  })

  it("shows what a cascade does at thresholds of the rows, and saves nothing without a recommendation (P208)", () => {
    const { cascade, saving } = advice
    assert.strictEqual(cascade?.recommended_threshold, 0.95)
    assert.deepStrictEqual(
      cascade?.steps.map(({ threshold }) => threshold),
      [0, 0.55, 0.65, 0.95, 0.99]
    )
    const step = cascade?.steps.find(({ threshold }) => threshold === 0.95)
    assert.deepInclude(step, {
      share: 0.9,
      agreement: 1,
      cascade_agreement: 1,
      cost_per_1000_calls_usd: 0.001 + (1 - 0.9)
    })
    // Two percent of the answers are verified.
    assert.deepStrictEqual(saving, { per_1000_calls_usd: 0.881, break_even_calls: Math.ceil((0.5 / 0.881) * 1_000) })
    for (const one of cascade?.steps ?? []) assert.isTrue(one.cascade_agreement >= (one.agreement ?? 1) * one.share)
    const sure = Advice.make(answered("a", "b", 0.999, 200), costs, 0)
    assert.isNull(sure.cascade?.recommended_threshold)
    assert.isNull(sure.saving)
    assert.include(sure.notes.join("\n"), "No threshold is recommended")
  })

  it("tells the choice among several tools, and each argument of each tool by itself (P1709)", () => {
    const call = (name: string, given: object) =>
      textAndCalls({
        role: "assistant",
        content: null,
        tool_calls: [{ function: { name, arguments: JSON.stringify(given) } }]
      })
    const refund = (reason: string) => call("refund", { reason })
    const ship = (speed: string, days: number) => call("ship", { speed, days })
    const items = [
      ...answered(refund("late"), refund("late"), 0.9, 30),
      ...answered(refund("lost"), refund("late"), 0.9, 10),
      ...answered(ship("slow", 2), ship("slow", 2), 0.9, 40),
      ...answered(ship("slow", 3), refund("late"), 0.9, 10),
      ...answered("No.", "No.", 0.9, 10)
    ]
    const fields = Advice.make(items, costs, 0).fields ?? []
    assert.deepStrictEqual(
      fields.map(({ agreement, field }) => [field, agreement]),
      [
        ["tool", 0.9],
        ["ship/days", 0.8],
        ["ship/speed", 0.8],
        ["refund/reason", 0.75]
      ]
    )
    assert.deepStrictEqual(fields[0]?.confusions, [{ teacher: "ship", student: "refund", count: 10 }])
    assert.deepStrictEqual(fields[3]?.most_frequent, { answer: "late", share: 0.75 })
    const both = `\n[${[refund("late"), ship("slow", 2)].map((one) => one.slice(2, -1)).join(",")}]`
    const several = Advice.make(answered(both, both, 0.9, 5), costs, 0).fields ?? []
    assert.deepStrictEqual(
      several.map(({ field, most_frequent }) => [field, most_frequent.answer]),
      [
        ["tool", "refund, ship"],
        ["refund/reason", "late"],
        ["ship/days", "2"],
        ["ship/speed", "slow"]
      ]
    )
    const fewer = [...answered(refund("late"), refund("late"), 0.9, 5), ...answered("No.", "No.", 0.9, 6)]
    assert.deepStrictEqual(Advice.make(fewer, costs, 0).fields, [])
  })

  it("tells each field of JSON by itself, and none where answers are no objects of several fields (P355)", () => {
    const json = (a: string, b: number) => JSON.stringify({ a, b })
    const items = [
      ...answered(json("x", 1), json("x", 1), 0.9, 6),
      ...answered('{"b": 2, "a": "X."}', json("x", 2), 0.9, 2),
      ...answered(json("x", 1), json("y", 1), 0.5, 2)
    ]
    const [a, b, none] = Advice.make(items, costs, 0).fields ?? []
    assert.isUndefined(none)
    assert.deepInclude(a, { field: "a", agreement: 0.8, most_frequent: { answer: "x", share: 1 } })
    assert.deepStrictEqual(a?.confusions, [{ teacher: "x", student: "y", count: 2 }])
    assert.deepInclude(b, { field: "b", agreement: 1, confusions: [] })
    assert.deepStrictEqual(
      b?.labels.map(({ label, support }) => [label, support]),
      [
        ["1", 8],
        ["2", 2]
      ]
    )
    const odd = answered("sorry", "sorry", 0.9, 5)
    assert.deepStrictEqual(Advice.make([...items, ...odd], costs, 0).fields, [])
    assert.deepStrictEqual(Advice.make(answered('{"a":1}', '{"a":1}', 0.9, 5), costs, 0).fields, [])
  })

  it("says in words how little a small holdout says, and nothing where nothing is known (P208)", () => {
    const small = Advice.make(answered("a", "a", 0.9), { student: 1, teacher: null }, 0)
    assert.match(
      small.notes[0] ?? "",
      /^1 holdout row says little: the agreement may be anything from 20.7 % to 100.0 %/
    )
    assert.isNull(small.saving)
    const empty = Advice.make([], { student: null, teacher: null }, 0)
    assert.deepStrictEqual(empty, {
      most_frequent: null,
      teacher_itself: null,
      labels: [],
      confusions: [],
      fields: [],
      scores: null,
      cascade: null,
      saving: null,
      notes: []
    })
    assert.isNull(Advice.make(answered("a", "a", null, 10), costs, 0).cascade)
    assert.deepStrictEqual(
      Advice.make(Array.from({ length: 20 }, (_, index) => answered(`text ${index}`, "x", null)).flat(), costs, 0)
        .labels,
      []
    )
  })
})
