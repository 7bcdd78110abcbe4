import { assert, describe, it } from "@effect/vitest"
import * as AnswerRules from "@limbeck/distill/dataset/AnswerRules"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import { saysTheSame } from "@limbeck/distill/reward/Completion"
import * as Result from "effect/Result"
import * as CaseJudge from "../../src/recipe/internal/CaseJudge.ts"

const callOf = (name: string, args: object | string, id = "call_1") => ({
  role: "assistant" as const,
  content: null,
  tool_calls: [
    { id, type: "function", function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) } }
  ]
})
const light = callOf("set_light", { room: "hall", on: true })

const rowOf = (completion: Row["completion"]): Row => ({
  messages: [{ role: "user", content: "lights please" }],
  ...(completion === undefined ? {} : { completion })
})
const judged = (completions: ReadonlyArray<Row["completion"]>) => {
  const tally = completions.map(rowOf).reduce(RowProfiler.add, RowProfiler.begin())
  return CaseJudge.judge(RowProfiler.profileOf(tally))
}
const times = <A>(count: number, of: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, at) => of(at))

describe("calls of tools as labels", () => {
  it("one call is a label, which is written as the same call again (P1530)", () => {
    const label = ToolAnswers.labelOf(light)
    assert.strictEqual(label, ToolAnswers.labelOf(callOf("set_light", '{ "on": true, "room": "hall" }', "call_9")))
    const message = ToolAnswers.messageOf(label ?? "", "call_2")
    assert.isTrue(saysTheSame(light, message))
    assert.deepStrictEqual(ToolAnswers.callOf(label ?? ""), {
      name: "set_light",
      arguments: { room: "hall", on: true }
    })
    assert.deepStrictEqual(ToolAnswers.messageOf("yes", "call_2"), { role: "assistant", content: "yes" })
  })

  it.each([
    { kind: "two calls", message: { ...light, tool_calls: [...light.tool_calls, ...light.tool_calls] } },
    { kind: "a call with words", message: { ...light, content: "Done." } },
    { kind: "arguments that are no object", message: callOf("set_light", "[1]") },
    { kind: "arguments that are no JSON", message: callOf("set_light", "{") },
    {
      kind: "a function call of the form before tools",
      message: { role: "assistant", content: null, function_call: {} }
    },
    { kind: "the answer of a tool", message: { role: "tool", content: "on" } },
    { kind: "nothing", message: { role: "assistant", content: "" } }
  ])("$kind is no label (P1530)", ({ message }) => assert.isNull(ToolAnswers.labelOf(message)))

  it("tools are the same in any order and description, and others by name or parameters (P1530)", () => {
    const toolOf = (name: string, description: string, values = ["hall", "kitchen"]) => ({
      type: "function",
      function: {
        name,
        description,
        parameters: {
          type: "object",
          properties: { description: { type: "string" }, room: { enum: values, title: description } }
        }
      }
    })
    const offer = ToolAnswers.offerOf([toolOf("on", "a"), toolOf("off", "b")])
    assert.strictEqual(ToolAnswers.offerOf([toolOf("off", "c"), toolOf("on", "d")]), offer)
    for (const other of [
      [toolOf("on", "a")],
      [toolOf("on", "a"), toolOf("of", "b")],
      [toolOf("on", "a"), toolOf("off", "b", ["hall"])]
    ]) {
      assert.notStrictEqual(ToolAnswers.offerOf(other), offer)
    }
    assert.isNull(ToolAnswers.offerOf([]))
    assert.isNull(ToolAnswers.offerOf(undefined))
  })

  it("calls of closed sets are for the builtin student, by argument where one tool is called (P1530)", () => {
    const rooms = ["hall", "kitchen", "cellar"]
    const one = judged(times(60, (at) => callOf("set_light", { room: rooms[at % 3], on: at % 2 === 0 })))
    assert.strictEqual(one.case, "classification")
    assert.match(one.because, /arguments are closed sets: .*room.* \(3 labels\)/)
    const several = judged(times(60, (at) => (at % 2 === 0 ? light : callOf("stop", {}))))
    assert.deepStrictEqual(several, {
      case: "classification",
      because:
        "100 % of the completions are calls of tools. They are a closed set of 2 calls, each a tool with its arguments."
    })
  })

  const genres = ["jazz", "folk", "rock", "soul"]
  const playOf = (at: number) => callOf("play", { genre: genres[at % 4], volume: at % 3 })
  const lightOf = (at: number) => callOf("set_light", { room: ["hall", "kitchen", "cellar"][at % 3], on: at % 2 === 0 })

  it("several tools are a question for the tool, and questions for the arguments of each (P1701)", () => {
    const { because } = judged([...times(60, lightOf), ...times(60, playOf), ...times(20, () => callOf("stop", {}))])
    assert.include(
      because,
      'Their tools and arguments are closed sets: "$tool_call/name" (3 labels), "play/genre" (4 labels), "play/volume" (3 labels), ' +
        '"set_light/on" (2 labels), "set_light/room" (3 labels). Each is learnt by itself.'
    )
  })

  it("a tool with several sets of arguments counts as several, and words beside calls are an answer of their own (P1701)", () => {
    const loud = times(30, (at) => callOf("play", { genre: genres[at % 4] }))
    const words = times(30, () => ({ role: "assistant" as const, content: "Which room?" }))
    const completions = [...times(60, playOf), ...loud, ...times(60, lightOf), ...words]
    const counts = new Map<string, number>()
    for (const completion of completions) {
      const label = ToolAnswers.labelOf(completion) ?? ""
      counts.set(label, (counts.get(label) ?? 0) + 1)
    }
    const answers = Result.getOrThrow(AnswerRules.close(counts))
    assert.strictEqual(answers.questions[0]?.labels.length, 4)
    const numbersOf = AnswerRules.numbering(answers)
    for (const label of counts.keys()) {
      const numbers = numbersOf(label) ?? []
      const labels = numbers.map((number, question) => answers.questions[question]?.labels[number]?.text ?? "")
      assert.strictEqual(AnswerRules.write(answers, labels), label)
    }
    assert.isUndefined(numbersOf(ToolAnswers.labelOf(callOf("play", { genre: "polka", volume: 1 })) ?? ""))
    assert.isUndefined(numbersOf(ToolAnswers.labelOf(callOf("stop", {})) ?? ""))
  })

  it("a tool with open arguments is outside of the set, which its calls open if they are many (P1701)", () => {
    const open = (calls: number) => times(calls, (at) => callOf("search", { query: `shop ${at}`, page: at }))
    const closed = [...times(120, playOf), ...times(120, lightOf)]
    assert.strictEqual(judged([...closed, ...open(2)]).case, "classification")
    assert.strictEqual(judged([...closed, ...open(90)]).case, "tool_use")
  })

  it("open arguments, and calls behind other calls, are not (P1530)", () => {
    assert.strictEqual(judged(times(60, (at) => callOf("weather", { city: `town ${at}` }))).case, "tool_use")
    const rows = times(
      60,
      (at): Row => ({
        messages: [{ role: "user", content: "on" }, light, { role: "tool", content: "done", tool_call_id: "call_1" }],
        completion: at % 2 === 0 ? "yes" : "no"
      })
    )
    const profile = RowProfiler.profileOf(rows.reduce(RowProfiler.add, RowProfiler.begin()))
    assert.strictEqual(CaseJudge.judge(profile).case, "tool_use")
  })
})
