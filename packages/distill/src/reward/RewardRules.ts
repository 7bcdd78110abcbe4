/** The rules of a new reward that its shape cannot say (contract 6, 8). Each answers with the path of the field that breaks it. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { nestsDeeper } from "../dataset/RowReader.ts"
import { Limits } from "../Limits.ts"
import type { JsonSchemas } from "./JsonSchemas.ts"
import type { Patterns } from "./Patterns.ts"
import type { JudgeConfig, Rule } from "./Reward.ts"

export interface Compilers {
  readonly patterns: Patterns["Service"]
  readonly schemas: JsonSchemas["Service"]
}

type Checked = Result.Result<void, InvalidInput>

const refuseIf = (param: string, fault: string | undefined): Checked =>
  fault === undefined ? Result.void : Result.fail(invalid(param, fault))

const compiles = <A>(param: string, compiled: Result.Result<A, string>): Checked =>
  refuseIf(param, Result.isFailure(compiled) ? compiled.failure : undefined)

/** Where it leads is checked when a connection is made. */
const urlFault = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== "https:" && url?.protocol !== "http:") return "This is not an absolute http or https URL"
  return url.username !== "" || url.password !== "" ? "A URL must not hold credentials" : undefined
}

const scaleFault = ({ max, min }: JudgeConfig["scale"]): string | undefined =>
  min < max ? undefined : "The scale's min must be below its max"

/** Of its size; its depth comes first, for what nests without end has no text. */
const schemaFault = (schema: Schema.JsonObject): string | undefined => {
  if (nestsDeeper(schema, Limits.schemaDepthMax)) return `A schema nests at most ${Limits.schemaDepthMax} levels`
  return JSON.stringify(schema).length > Limits.schemaCharactersMax
    ? `A schema has at most ${Limits.schemaCharactersMax} characters of JSON`
    : undefined
}

export const check = ({ config, kind }: Rule, { patterns, schemas }: Compilers): Checked => {
  switch (kind) {
    case "regex":
      return compiles("config.pattern", patterns.compile(config.pattern))
    case "json_schema": {
      const fault = schemaFault(config.schema)
      return fault === undefined
        ? compiles("config.schema", schemas.compile(config.schema))
        : refuseIf("config.schema", fault)
    }
    case "http":
      return refuseIf("config.url", urlFault(config.url))
    case "llm_judge":
      return refuseIf("config.scale", scaleFault(config.scale))
    default:
      return Result.void
  }
}
