/** JSON Schema: Ajv against a validator of a few lines, and what no schema may do. */
import { assert, describe, it } from "@effect/vitest"
import { caseCount } from "@limbeck/testing/Campaign"
import * as Effort from "@limbeck/testing/fixtures/Effort"
import * as Generator from "@limbeck/testing/random/Generator"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as AjvSchemas from "../../src/reward/internal/AjvSchemas.ts"

const compileInTime = AjvSchemas.compiler()

/** Small schemas pass on a busy machine; tests about checking limits use the usual limit. */
const patient = { compileMillis: 60_000, checkMillis: 60_000 }
const compilerOf = (limits: Partial<AjvSchemas.TimeLimits>) => AjvSchemas.compiler({ ...patient, ...limits })
const compile = compilerOf({})

const validator = (schema: Schema.JsonObject, limits: Partial<AjvSchemas.TimeLimits> = {}) =>
  Result.getOrThrow(compilerOf(limits)(schema))

const isObject = (value: Schema.Json): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const typeOf = (value: Schema.Json): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

type Holds = (value: Schema.Json) => boolean

const each = (rule: Schema.Json): ReadonlyArray<Schema.Json> => (Array.isArray(rule) ? rule : [])
const members = (rule: Schema.Json | undefined): Schema.JsonObject => (rule !== undefined && isObject(rule) ? rule : {})
const same = (one: Schema.Json, other: Schema.Json) => JSON.stringify(one) === JSON.stringify(other)

/** The meaning of each generated keyword by the standard; other types always pass. */
const ofNumber =
  (asks: (value: number) => boolean): Holds =>
  (value) =>
    typeof value !== "number" || asks(value)
const ofString =
  (asks: (value: string) => boolean): Holds =>
  (value) =>
    typeof value !== "string" || asks(value)
const ofArray =
  (asks: (value: ReadonlyArray<Schema.Json>) => boolean): Holds =>
  (value) =>
    !Array.isArray(value) || asks(value)
const ofObject =
  (asks: (value: Schema.JsonObject) => boolean): Holds =>
  (value) =>
    !isObject(value) || asks(value)

const keywords: Readonly<Record<string, (rule: Schema.Json, schema: Schema.JsonObject) => Holds>> = {
  type: (rule) => (value) => (rule === "integer" ? Number.isInteger(value) : typeOf(value) === rule),
  minimum: (rule) => ofNumber((value) => value >= Number(rule)),
  exclusiveMaximum: (rule) => ofNumber((value) => value < Number(rule)),
  maxLength: (rule) => ofString((value) => [...value].length <= Number(rule)),
  pattern: (rule) => ofString((value) => value.startsWith(String(rule).slice(1))),
  minItems: (rule) => ofArray((value) => value.length >= Number(rule)),
  uniqueItems: () => ofArray((value) => value.every((item, at) => !value.slice(0, at).some((one) => same(one, item)))),
  items: (rule) => ofArray((value) => value.every((item) => holds(members(rule), item))),
  required: (rule) => ofObject((value) => each(rule).every((name) => String(name) in value)),
  properties: (rule) =>
    ofObject((value) => Object.entries(value).every(([name, one]) => holds(members(members(rule)[name]), one))),
  additionalProperties: (_, schema) =>
    ofObject((value) => Object.keys(value).every((name) => name in members(schema["properties"]))),
  enum: (rule) => (value) => each(rule).some((one) => same(one, value)),
  anyOf: (rule) => (value) => each(rule).some((one) => holds(members(one), value)),
  oneOf: (rule) => (value) => each(rule).filter((one) => holds(members(one), value)).length === 1,
  not: (rule) => (value) => !holds(members(rule), value)
}

const holds = (schema: Schema.JsonObject, value: Schema.Json): boolean =>
  Object.entries(schema).every(([name, rule]) => keywords[name]?.(rule, schema)(value) ?? true)

const names = ["a", "b", "c"]

const valueOf = ({ below, pick, some }: Generator.Generator, depth: number): Schema.Json => {
  const inner = () => valueOf({ below, pick, some }, depth - 1)
  const leaf = () => pick<Schema.Json>([null, true, 0, 1, 2.5, -1, "", "x", "xy", "\ud83d\ude00"])
  if (depth === 0) return leaf()
  return pick([
    leaf,
    () => [...some(3, inner)],
    () => Object.fromEntries(some(3, () => [pick(names), inner()] as const))
  ])()
}

const schemaOf = (generator: Generator.Generator, depth: number): Schema.JsonObject => {
  const { below, pick, some } = generator
  const inner = () => schemaOf(generator, depth - 1)
  const flat: ReadonlyArray<() => readonly [string, Schema.Json]> = [
    () => ["type", pick(["string", "number", "integer", "boolean", "null", "array", "object"])],
    () => ["minimum", below(3)],
    () => ["exclusiveMaximum", below(3)],
    () => ["maxLength", below(3)],
    () => ["pattern", pick(["^x", "^xy"])],
    () => ["minItems", below(3)],
    () => ["uniqueItems", true],
    () => ["required", [pick(names)]],
    () => ["enum", [valueOf(generator, 0), valueOf(generator, 1)]],
    () => ["format", "date"],
    () => ["title", "anything"]
  ]
  const deep: ReadonlyArray<() => readonly [string, Schema.Json]> = [
    () => ["items", inner()],
    () => ["properties", Object.fromEntries(some(3, () => [pick(names), inner()] as const))],
    () => ["additionalProperties", false],
    () => ["anyOf", [inner(), inner()]],
    () => ["oneOf", [inner(), inner()]],
    () => ["not", inner()]
  ]
  return Object.fromEntries(some(2, () => pick(depth === 0 ? flat : [...flat, ...deep, ...deep])()))
}

describe("JSON Schemas", () => {
  it("say what a validator of a few lines says", () => {
    const generator = Generator.make(11)
    const rounds = caseCount(80, 250)
    const values = 5 * rounds
    let valid = 0
    for (let round = 0; round < rounds; round++) {
      const schema = schemaOf(generator, 2)
      const validate = validator(schema)
      for (let tried = 0; tried < 5; tried++) {
        const value = valueOf(generator, 2)
        const expected = holds(schema, value)
        assert.strictEqual(validate(value)._tag, expected ? "Valid" : "Invalid", JSON.stringify([schema, value]))
        valid += Number(expected)
      }
    }
    assert.isTrue(valid > 0.24 * values && valid < 0.88 * values, `${valid} of ${values}`)
  })

  it("name the first thing wrong and its place", () => {
    const validate = validator({ type: "object", properties: { a: { type: "array", items: { type: "string" } } } })
    assert.deepStrictEqual(validate({ a: ["x", 1] }), { _tag: "Invalid", fault: "/a/1 must be string" })
    assert.deepStrictEqual(validate([]), { _tag: "Invalid", fault: "must be object" })
  })

  it("may refer to themselves, and be of three drafts", () => {
    const tree = { $ref: "#/$defs/n", $defs: { n: { type: "object", additionalProperties: { $ref: "#/$defs/n" } } } }
    assert.strictEqual(validator(tree)({ a: { b: {} } })._tag, "Valid")
    assert.strictEqual(validator(tree)({ a: { b: 1 } })._tag, "Invalid")
    const drafts = [
      "https://json-schema.org/draft/2020-12/schema",
      "https://json-schema.org/draft/2019-09/schema",
      "http://json-schema.org/draft-07/schema#"
    ]
    for (const $schema of drafts) assert.strictEqual(validator({ $schema, type: "string" })("x")._tag, "Valid", $schema)
  })

  it("are compiled in the time of their own code: that of their draft's schema is not counted", () => {
    const draft = () => new Ajv2020({ strict: false }).validateSchema({})
    draft()
    const begin = performance.now()
    draft()
    // A third of the draft schema's compile time, and many times this schema's.
    const compileMillis = Math.ceil((performance.now() - begin) / 3)
    const tries = Array.from({ length: 20 }, () => compilerOf({ compileMillis })({ type: "object" }))
    assert.isTrue(tries.some(Result.isSuccess), `${compileMillis} ms`)
  })

  it("that are none, lead elsewhere or are too much to compile are refused with the reason", () => {
    let deep: Schema.JsonObject = {}
    for (let level = 0; level < 5_000; level++) deep = { not: deep }
    const wide = {
      properties: Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`p${at}`, { minLength: 1 }]))
    }
    const cases: ReadonlyArray<readonly [Schema.JsonObject, RegExp]> = [
      [{ type: "nonsense" }, /type must be/],
      [{ properties: 5 }, /properties must be object/],
      [{ $ref: "https://example.com/other.json" }, /can't resolve reference/],
      [{ $ref: "#/$defs/missing" }, /can't resolve reference/],
      [{ $ref: "file:///etc/passwd" }, /can't resolve reference/],
      [{ $schema: "http://json-schema.org/draft-04/schema#" }, /\$schema must be/],
      [{ $async: true, type: "string" }, /\$async/],
      [{ pattern: "(a)\\1" }, /escape|RE2|pattern/],
      [deep, /too deep/]
    ]
    const outcomes = [
      ...cases.map(([schema, reason]) => [compile(schema), reason] as const),
      [compileInTime(wide), /too long/] as const
    ]
    for (const [compiled, reason] of outcomes) {
      assert.match(Result.isFailure(compiled) ? compiled.failure : "it compiled", reason)
    }
  })

  it("cannot be made to hang by what they say or by what they are given (P50)", () => {
    const doubling = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `d${at + 1}`,
        { allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] }
      ])
    )
    const array = Array.from({ length: 200_000 }, (_, at) => ({ at }))
    const hard: ReadonlyArray<readonly [Schema.JsonObject, Schema.Json]> = [
      [{ $defs: { d0: { type: "string" }, ...doubling }, $ref: "#/$defs/d40" }, "x"],
      [{ allOf: [{ $ref: "#" }, { $ref: "#" }] }, {}],
      [{ uniqueItems: true }, array],
      [{ pattern: "^(a+)+$" }, `${"a".repeat(500_000)}!`],
      [{ patternProperties: { "^(a|aa)+$": {} } }, { [`${"a".repeat(100_000)}!`]: 1 }]
    ]
    for (const [schema, value] of hard) {
      const validate = validator(schema, { checkMillis: 250 })
      // The limit is 250 ms.
      const millis = Effort.cpuMillis(() => validate(value))
      assert.isBelow(millis, 2_500, JSON.stringify(schema).slice(0, 60))
    }
    assert.strictEqual(
      validator({ $defs: { d0: {}, ...doubling }, $ref: "#/$defs/d40" }, { checkMillis: 250 })("x")._tag,
      "TooCostly"
    )
  })
})
