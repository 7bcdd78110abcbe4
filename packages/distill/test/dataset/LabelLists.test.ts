import { assert, describe, it } from "@effect/vitest"
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import type { Answers } from "@limbeck/distill/dataset/Answers"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"
import * as Result from "effect/Result"
import * as CaseJudge from "../../src/recipe/internal/CaseJudge.ts"

const names = ["late", "refund", "damaged", "rude"]
/** All 16 sets of four labels. */
const sets = Array.from({ length: 16 }, (_, set) => names.filter((_, at) => (set >> at) % 2 === 1))
const lists = sets.flatMap((set) => Array.from({ length: 5 }, () => JSON.stringify(set).replaceAll(",", ", ")))

const closed = (completions: ReadonlyArray<string>) => {
  const counter = LabelRules.counter()
  for (const completion of completions) counter.add(completion)
  return Result.getOrThrow(AnswerRules.close(counter.counts()))
}
const itemsOf = ({ questions }: Answers) => questions.map(AnswerRules.nameOf)

describe("lists of labels", () => {
  it("are a question for each label, and are written in the order of the teacher (P1529)", () => {
    const answers = closed(lists)
    assert.deepStrictEqual(itemsOf(answers), ['["late"]', '["refund"]', '["damaged"]', '["rude"]'])
    const numberOf = AnswerRules.numbering(answers)
    for (const text of lists) {
      const labels = numberOf(text)?.map((label, at) => answers.questions[at]!.labels[label]!.text) ?? []
      assert.strictEqual(AnswerRules.write(answers, labels), text)
    }
    assert.deepStrictEqual(numberOf('["rude","Late"]'), numberOf('["late", "rude"]'))
    for (const text of ['["lost"]', "late", '["late", "late"]', '{"a": ["late"]}']) assert.isUndefined(numberOf(text))
  })

  it("may be a field among others (P1529)", () => {
    const answers = closed(
      lists.map((list, at) => `{"topics": ${list}, "v": 1, "mood": "${at % 3 === 0 ? "calm" : "cross"}"}`)
    )
    assert.deepStrictEqual(itemsOf(answers), [...names.map((name) => `topics["${name}"]`), "mood"])
    assert.strictEqual(
      AnswerRules.write(answers, ["", '"refund"', "", '"rude"', '"calm"']),
      '{"topics": ["refund", "rude"], "v": 1, "mood": "calm"}'
    )
  })

  it.each([
    { kind: "rankings", of: Array.from({ length: 60 }, (_, at) => names.map((_, place) => names[(place + at) % 4])) },
    { kind: "lists in any order", of: sets.flatMap((set) => [set, set.toReversed(), set, set.toReversed()]) },
    { kind: "single labels", of: Array.from({ length: 60 }, (_, at) => [names[at % 4]]) },
    { kind: "few combinations", of: Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? names : names.slice(1))) }
  ])("$kind are one label each (P1529)", ({ of }) => {
    const [question, ...others] = closed(of.map((list) => JSON.stringify(list))).questions
    assert.isNull(question?.name)
    assert.strictEqual(others.length, 0)
  })

  it("a proposal names them (P1529)", () => {
    const rows = lists.map((completion) => ({ messages: [{ role: "user", content: "hello" }] as const, completion }))
    const profile = RowProfiler.profileOf(rows.reduce(RowProfiler.add, RowProfiler.begin()))
    assert.deepStrictEqual(profile.fields, [{ name: "", labels: 4, isList: true }])
    const { because, case: judged } = CaseJudge.judge(profile)
    assert.strictEqual(judged, "classification")
    assert.match(because, /lists of 4 labels/)
  })
})
