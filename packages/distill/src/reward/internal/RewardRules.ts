/** The rules of a new reward beyond its shape (contract 6, 8). Each returns the path of the wrong field. */
import * as EgressPolicy from "@limbeck/core/egress/EgressPolicy"
import * as TenantUrl from "@limbeck/core/egress/TenantUrl"
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { nestsDeeper } from "../../dataset/RowShape.ts"
import { DistillLimits } from "../../Limits.ts"
import type { JsonSchemas } from "../JsonSchemas.ts"
import type { Patterns } from "../Patterns.ts"
import type { JudgeConfig, Rule } from "../Reward.ts"

export interface Compilers {
  readonly patterns: Patterns["Service"]
  readonly schemas: JsonSchemas["Service"]
}

/** The permitted scorers, and the mode. */
export interface NetworkAccess {
  readonly policy: EgressPolicy.EgressPolicy
  readonly livemode: boolean
}

type Validation = Result.Result<void, InvalidInput>

const refuseIf = (param: string, fault: string | undefined): Validation =>
  fault === undefined ? Result.void : Result.fail(invalid(param, fault))

const compiles = <A>(param: string, compiling: Effect.Effect<Result.Result<A, string>>): Effect.Effect<Validation> =>
  Effect.map(compiling, (compiled) => refuseIf(param, Result.isFailure(compiled) ? compiled.failure : undefined))

const scaleFault = ({ max, min }: JudgeConfig["scale"]): string | undefined =>
  min < max ? undefined : "The scale's min must be below its max"

/** Of its size; its depth comes first, for what nests without end has no text. */
const schemaFault = (schema: Schema.JsonObject): string | undefined => {
  if (nestsDeeper(schema, DistillLimits.schemaDepthMax))
    return `A schema nests at most ${DistillLimits.schemaDepthMax} levels`
  return JSON.stringify(schema).length > DistillLimits.schemaCharactersMax
    ? `A schema has at most ${DistillLimits.schemaCharactersMax} characters of JSON`
    : undefined
}

const urlFault = ({ livemode, policy }: NetworkAccess, url: string): string | undefined =>
  TenantUrl.httpFault(url) ?? EgressPolicy.plainHttpFault(policy, livemode, url)

export const check = (
  { config, kind }: Rule,
  { patterns, schemas }: Compilers,
  reach: NetworkAccess
): Effect.Effect<Validation> => {
  switch (kind) {
    case "regex":
      return compiles("config.pattern", patterns.compile(config.pattern))
    case "json_schema": {
      const fault = schemaFault(config.schema)
      return fault === undefined
        ? compiles("config.schema", schemas.compile(config.schema))
        : Effect.succeed(refuseIf("config.schema", fault))
    }
    case "http":
      return Effect.succeed(refuseIf("config.url", urlFault(reach, config.url)))
    case "llm_judge":
      return Effect.succeed(refuseIf("config.scale", scaleFault(config.scale)))
    case "exact_match":
    case "contains":
    case "numeric":
      return Effect.succeed(Result.void)
  }
}
