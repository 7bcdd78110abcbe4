/**
 * JSON Schema by Ajv, with RE2 patterns and time limits for compiling and checking. Runs in the thread of `CheckingThread`,
 * off the event loop.
 */
import type { SchemaVerdict } from "@limbeck/distill/reward/JsonSchemas"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js"
import { Ajv } from "ajv/dist/ajv.js"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { compileRe2 } from "./Re2Patterns.ts"
import { runWithin } from "./TimeLimit.ts"

export interface TimeLimits {
  readonly compileMillis: number
  readonly checkMillis: number
}

/** Ajv makes code of a schema; 500 properties take about 200 ms. */
const usual: TimeLimits = { compileMillis: 1_000, checkMillis: 250 }

/** In place of JavaScript's own expressions, which can be made to hang. */
const linear = Object.assign((pattern: string) => compileRe2(pattern), { code: "unused" })

const options: Options = {
  // Unknown keywords are annotations, as in the standard.
  strict: false,
  validateFormats: false,
  logger: false,
  // Else references in references multiply the code.
  inlineRefs: false,
  code: { regExp: linear, optimize: false }
}

const drafts: ReadonlyArray<readonly [names: RegExp, make: () => Ajv]> = [
  [/^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, () => new Ajv2020(options)],
  [/^https:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, () => new Ajv2019(options)],
  [/^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, () => new Ajv(options)]
]

const draftOf = (named: Schema.Json | undefined): Ajv => {
  if (named === undefined) return new Ajv2020(options)
  const found = typeof named === "string" ? drafts.find(([names]) => names.test(named)) : undefined
  if (found === undefined) throw new Error("$schema must be JSON Schema draft 2020-12, 2019-09 or 07")
  return found[1]()
}

/**
 * Compiles the draft's own schema first, which takes longer than most schemas: on a busy machine a timeout would otherwise
 * blame the tenant's schema.
 */
const ajvFor = (schema: Schema.JsonObject): Ajv => {
  const ajv = draftOf(schema["$schema"])
  ajv.validateSchema({})
  return ajv
}

const compile = (schema: Schema.JsonObject, ajv = ajvFor(schema)): ValidateFunction => {
  const validate = ajv.compile(schema)
  // Ajv's own extension: such a function answers a promise.
  if ("$async" in validate && validate.$async === true) throw new Error("$async is not allowed")
  return validate
}

const faultOf = (error: unknown): string => {
  if (error instanceof RangeError) return "This schema nests too deep"
  return `This schema cannot be used: ${error instanceof Error ? error.message : "it does not compile"}`
}

const tryCompile = (schema: Schema.JsonObject, compileMillis: number): Result.Result<ValidateFunction, string> => {
  try {
    const ajv = ajvFor(schema)
    const compiled = runWithin(compileMillis, () => compile(schema, ajv))
    return compiled === undefined
      ? Result.fail("This schema takes too long to compile")
      : Result.succeed(compiled.value)
  } catch (error) {
    return Result.fail(faultOf(error))
  }
}

const invalid = (error: ErrorObject | undefined): SchemaVerdict => ({
  _tag: "Invalid",
  fault: error === undefined ? "it is refused" : `${error.instancePath} ${error.message ?? error.keyword}`.trim()
})

const tooCostly: SchemaVerdict = { _tag: "TooCostly" }

const check = (validate: ValidateFunction, value: Schema.Json, checkMillis: number): SchemaVerdict => {
  try {
    const checked = runWithin(checkMillis, () => validate(value))
    if (checked === undefined) return tooCostly
    return checked.value ? { _tag: "Valid" } : invalid(validate.errors?.[0])
  } catch {
    // The stack overflowed: the schema refers to itself without end, or the value nests deeper than it can follow.
    return tooCostly
  }
}

export type Validate = (value: Schema.Json) => SchemaVerdict

/** The failure says why it is refused. */
export const compiler =
  ({ checkMillis, compileMillis }: TimeLimits = usual) =>
  (schema: Schema.JsonObject): Result.Result<Validate, string> =>
    Result.map(tryCompile(schema, compileMillis), (first) => {
      let validate: ValidateFunction | undefined = first
      return (value) => {
        const using = validate ?? compile(schema)
        const verdict = check(using, value, checkMillis)
        // What was broken off may have left a pattern's caches in any state.
        validate = verdict === tooCostly ? undefined : using
        return verdict
      }
    })
