/** A schema says the same of every value, compiled or not. */
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaIssue from "effect/SchemaIssue"
import { expect, it, vi } from "vitest"
import * as Id from "../../src/ids/Id.ts"

/** Anew each time: compiled is what was asked to be. */
const makeSchema = () =>
  Schema.Struct({
    id: Id.schema("run"),
    name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(9)),
    at: Schema.NullOr(Schema.NumberFromString),
    stages: Schema.Array(
      Schema.Union([
        Schema.Struct({ kind: Schema.Literal("sft"), epochs: Schema.Int.check(Schema.isGreaterThan(0)) }),
        Schema.Struct({ kind: Schema.Literal("eval"), sample: Schema.optionalKey(Schema.Boolean) })
      ])
    ),
    tags: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  })

const right = {
  id: "run_01m84ejvmpez28dmgnqsxy1wp8",
  name: "é🎈",
  at: "7.5",
  stages: [{ kind: "sft", epochs: 3 }, { kind: "eval" }],
  tags: { a: "b" }
}

/** One thing wrong in each, and several in the last. */
const wrong: ReadonlyArray<unknown> = [
  null,
  [],
  {},
  { ...right, id: "run_1" },
  { ...right, id: `${right.id}\n` },
  { ...right, name: "" },
  { ...right, at: "seven" },
  { ...right, at: undefined },
  { ...right, more: 1 },
  { ...right, stages: [...right.stages, { kind: "sft", epochs: 0 }] },
  { ...right, stages: [{ kind: "sft", epochs: 1.5 }] },
  { ...right, stages: [{ kind: "publish" }] },
  { ...right, stages: [{ kind: "eval", sample: null }] },
  { ...right, stages: [{ kind: "eval", more: 1 }] },
  { ...right, tags: { a: 1 } },
  { id: 1, name: 2, at: 3, stages: 4, tags: 5 }
]

const format = SchemaIssue.makeFormatterStandardSchemaV1()
const said = <A>(result: Result.Result<A, Schema.SchemaError>) =>
  Result.isSuccess(result) ? { value: result.success } : format(result.failure.issue)

it.each(["error", "ignore"] as const)(
  "the same values and the same faults, compiled or not (%s)",
  (onExcessProperty) => {
    const [plain, made] = [makeSchema(), compileOnUse(makeSchema())]
    const [decode, decodeMade] = [plain, made].map((schema) => Schema.decodeUnknownResult(schema, { onExcessProperty }))
    const [encode, encodeMade] = [plain, made].map((schema) => Schema.encodeUnknownResult(schema, { onExcessProperty }))
    for (const input of [right, ...wrong]) {
      expect(said(decodeMade!(input))).toEqual(said(decode!(input)))
      expect(said(encodeMade!(input))).toEqual(said(encode!(input)))
    }
    expect(said(decodeMade!(right))).toEqual({ value: { ...right, at: 7.5 } })
    expect(said(encodeMade!({ ...right, at: 7.5 }))).toEqual({ value: right })
  }
)

it("it is compiled when it is first used", () => {
  const making = vi.spyOn(globalThis, "Function")
  const decode = Schema.decodeUnknownResult(compileOnUse(makeSchema()))
  const before = making.mock.calls.length
  decode(right)
  expect(making.mock.calls.length).toBeGreaterThan(before)
  making.mockRestore()
})
