import { assert, describe, it } from "@effect/vitest"
import type { Row } from "@limbeck/distill/dataset/Row"
import * as RowProfiler from "@limbeck/distill/dataset/RowProfiler"
import * as ToolAnswers from "@limbeck/distill/dataset/ToolAnswers"
import { saysTheSame } from "@limbeck/distill/reward/Completion"
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
