/** Validates values by tenants' JSON Schemas. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

/** `fault`: the first thing wrong, with its place. */
export type SchemaVerdict =
  | { readonly _tag: "Valid" }
  | { readonly _tag: "Invalid"; readonly fault: string }
  | { readonly _tag: "TooCostly" }

/** Ends within the limit of time, whatever the schema and the value, and keeps nobody else from running. */
export type Validator = (value: Schema.Json) => Effect.Effect<SchemaVerdict>

export class JsonSchemas extends Context.Service<
  JsonSchemas,
  {
    /**
     * Draft 2020-12, or what `$schema` names of 2019-09 and 07. `format` says nothing; patterns are as in `Patterns`. What
     * is no schema, refers to another document or takes too long to compile is refused; the failure says why.
     */
    readonly compile: (schema: Schema.JsonObject) => Effect.Effect<Result.Result<Validator, string>>
  }
>()("@limbeck/distill/reward/JsonSchemas") {}
