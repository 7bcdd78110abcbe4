/** Another model in a request, byte by byte. */
import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Schema from "effect/Schema"
import * as ModelMember from "../src/student/internal/ModelMember.ts"

const renamed = (json: string, model = "gpt") =>
  new TextDecoder().decode(Turns.atOnce(ModelMember.replaceModelSteps(new TextEncoder().encode(json), model)))

const cases: ReadonlyArray<readonly [before: string, after: string]> = [
  ['{"model":"svc:desk"}', '{"model":"gpt"}'],
  [
    '\n{ "n" : 1.0,\t"model" :\r\n "svc:desk" , "é":"\\u00e9\u{1f600}" }',
    '\n{ "n" : 1.0,\t"model" :\r\n "gpt" , "é":"\\u00e9\u{1f600}" }'
  ],
  [
    '{"messages":[{"model":"svc:desk","content":"\\"model\\":\\"x\\""}],"model":"svc:desk"}',
    '{"messages":[{"model":"svc:desk","content":"\\"model\\":\\"x\\""}],"model":"gpt"}'
  ],
  [
    '{"metadata":{"model":"svc:desk"},"stop":["model","svc:desk"],"model":"svc:desk","user":"model"}',
    '{"metadata":{"model":"svc:desk"},"stop":["model","svc:desk"],"model":"gpt","user":"model"}'
  ],
  ['{"user":"model","model":"svc:desk"}', '{"user":"model","model":"gpt"}'],
  ['{"m\\u006fdel":"svc\\u003adesk"}', '{"m\\u006fdel":"gpt"}'],
  ['{"model":"first","model":"svc:desk"}', '{"model":"gpt","model":"gpt"}'],
  ['{"model":{"model":"a","b":["c"]},"model":"svc:desk"}', '{"model":{"model":"a","b":["c"]},"model":"gpt"}'],
  ['{"model":"svc:a\\"b\\\\"}', '{"model":"gpt"}'],
  ['\ufeff{"model":"svc:desk"}', '\ufeff{"model":"gpt"}']
]

/** In the formats of JSON.stringify, and of people. */
const spaced = (value: Schema.Json) => JSON.stringify(value, null, 3)

describe("ModelMember", () => {
  it("is replaced where it is the request's own, and every other byte stays (P84)", () => {
    for (const [before, after] of cases) {
      // The decoder takes the byte order mark away.
      assert.strictEqual(renamed(before), after.replace("\ufeff", ""))
    }
  })

  it("the new name is JSON, whatever it is made of", () => {
    const name = 'a"b\\c\n\u{1f600}'
    assert.deepStrictEqual(JSON.parse(renamed('{"model":"svc:desk","n":1}', name)), { model: name, n: 1 })
  })

  it.prop(
    "nothing else is changed in any request",
    [Schema.Record(Schema.String, Schema.Json), Schema.Record(Schema.String, Schema.Json)],
    ([before, after]) => {
      const request = (model: string) => ({
        ...before,
        model,
        ...after,
        ...(after["model"] === undefined ? {} : { model })
      })
      for (const write of [JSON.stringify, spaced]) {
        assert.strictEqual(renamed(write(request("svc:desk")), "gpt-5"), write(request("gpt-5")))
      }
    }
  )

  it("is looked for in turns in a long request (P224)", () => {
    const request = new TextEncoder().encode(`{"many":[${"0,".repeat(500_000)}0],"model":"svc:desk"}`)
    let turns = 0
    for (const steps = ModelMember.replaceModelSteps(request, "gpt"); !steps.next().done; ) turns++
    assert.isAtLeast(turns, Math.floor(request.length / Turns.turnCost))
  })
})

const asking = (json: string) => {
  const { body, isClients } = Turns.atOnce(ModelMember.askingLogprobs(new TextEncoder().encode(json)))
  return [new TextDecoder().decode(body), isClients] as const
}

describe("logprobs of a request", () => {
  it("are asked for once, whatever the client says of them, and every other byte stays (P1141)", () => {
    assert.deepStrictEqual(asking('\n{ "model":"a"}'), ['\n{"logprobs":true, "model":"a"}', false])
    for (const said of ["false", "null", '{"a":[1,"}"]}', "0"]) {
      assert.deepStrictEqual(asking(`{"logprobs" : ${said} ,"n":{"logprobs":false}}`), [
        '{"logprobs" : true ,"n":{"logprobs":false}}',
        false
      ])
    }
    assert.deepStrictEqual(asking('{"n":1,"logprobs":true }'), ['{"n":1,"logprobs":true }', true])
  })
})
