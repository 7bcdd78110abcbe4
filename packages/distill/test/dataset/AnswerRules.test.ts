import { assert, describe, it } from "@effect/vitest"
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import type { Answers } from "@limbeck/distill/dataset/Answers"
import * as JsonFields from "@limbeck/distill/dataset/JsonFields"
import * as LabelRules from "@limbeck/distill/dataset/LabelRules"
import * as Result from "effect/Result"

const closed = (completions: ReadonlyArray<string | null>) => {
  const counter = LabelRules.counter()
  for (const completion of completions) counter.add(completion)
  return Result.getOrThrow(AnswerRules.close(counter.counts()))
}
const shown = ({ between, odd, questions }: Answers) => ({
  between,
  odd,
  questions: questions.map(({ labels, name }) => [name, labels.map(({ text }) => text)])
})
const times = <A>(count: number, of: A): ReadonlyArray<A> => Array.from({ length: count }, () => of)

describe("JsonFields", () => {
  it.each([
    '{"a":"x","b":1}',
    ' { "a" : { "b/c" : [1, {"d": "}"}], "~": {} }, "e\\"\\u00e9": null } ',
    '{\n\t"long": "a \\\\ b, {c}: [d]",\n\t"no": false\n}'
  ])("a text is written again as it was read: %s (P355)", (text) => {
    const fields = JsonFields.read(text)
    assert.strictEqual(JsonFields.write(fields?.between ?? [], fields?.values ?? []), text)
  })

  it("names are pointers, a list is one value, and what is no object or says a name twice has no fields (P355)", () => {
    const fields = JsonFields.read('{"a":{"b/c":[1,{"d":2}],"~":{}},"e":null}')
    assert.deepStrictEqual(fields?.names, ["a/b~1c", "a/~0", "e"])
    assert.deepStrictEqual(fields?.values, ['[1,{"d":2}]', "{}", "null"])
    for (const text of ["[1]", "ham", "", '{"a":1', '{"a":1,"a":2}', '"a"']) assert.isUndefined(JsonFields.read(text))
    assert.deepStrictEqual(JsonFields.read("{}")?.names, [])
  })
})

describe("AnswerRules", () => {
  it("objects of the same fields are a question for each field that differs, in the usual writing (P355)", () => {
    const answers = closed([
      ...times(5, '{"v": 2, "a": "x", "b": true}'),
      ...times(4, '{"v": 2, "a": "Y.", "b": false}'),
      ...times(3, '{"b":false,"a":"y","v":2}')
    ])
    assert.deepStrictEqual(shown(answers), {
      between: ['{"v": 2, "a": ', ', "b": ', "}"],
      odd: 0,
      questions: [
        ["a", ['"Y."', '"x"']],
        ["b", ["false", "true"]]
      ]
    })
    const numberOf = AnswerRules.numbering(answers)
    assert.deepStrictEqual(numberOf('{"b":false,"a":"y","v":2}'), [0, 0])
    assert.deepStrictEqual(numberOf('{"a":"x","v":2,"b":false}'), [1, 0])
    assert.isUndefined(numberOf('{"a":"z","v":2,"b":false}'))
    assert.deepStrictEqual(AnswerRules.countOf(answers), { labels: 4, variants: 1 })
  })

  it("one field that differs, fields that are no closed sets, and many odd rows leave the whole as the label (P355)", () => {
    const two = (index: number) => ({ a: index % 2, b: index % 3 })
    const open = Array.from({ length: 60 }, (_, index) => JSON.stringify({ ...two(index), c: `text ${index}` }))
    const mixed = Array.from({ length: 60 }, (_, index) => (index % 10 === 0 ? "none" : JSON.stringify(two(index))))
    const single = [...times(5, '{"a":"x","v":1}'), ...times(5, '{"a":"y","v":1}')]
    for (const completions of [open, mixed, single, [...times(5, "ham"), ...times(5, "spam")]]) {
      assert.deepStrictEqual(
        closed(completions).questions.map(({ name }) => name),
        [null]
      )
    }
  })

  it("up to 5 % odd rows are left out of the fields: no object, another shape, a value that is too long (P200, P355)", () => {
    const rows = Array.from({ length: 97 }, (_, index) => JSON.stringify({ a: index % 2, b: index % 3 }))
    const odd = [null, '{"a":1}', JSON.stringify({ a: "x".repeat(120), b: 1 })]
    const { odd: count, questions } = closed([...rows, ...odd])
    assert.strictEqual(count, 3)
    assert.deepStrictEqual(
      questions.map(({ labels }) => labels.length),
      [2, 3]
    )
  })
})
