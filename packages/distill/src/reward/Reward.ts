/** A reward: a rule that scores a completion from 0 to 1 (contract 6, 14.19). It never changes once it is made. */
import * as Id from "@limbeck/core/ids/Id"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as Kind from "@limbeck/core/resources/Kind"
import * as Characters from "@limbeck/core/text/Characters"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Tuple from "effect/Tuple"
import { DistillLimits } from "../Limits.ts"

export const RewardId = Id.schema("rwd")
export type RewardId = typeof RewardId.Type

const text = (max: number) => Schema.NonEmptyString.check(Characters.isMaxCharacters(max))

/** Takes no member; `Schema.Struct({})` would take any value. */
const noMembers = Schema.Record(Schema.String, Schema.Never)

const kindOf = <const K extends string, C extends Schema.Top>(kind: K, config: C) =>
  Schema.Struct({ kind: Schema.Literal(kind), config })

/** Every kind of reward, with its config in a request. A new kind begins here. Lengths are in characters. */
export const RewardInput = Schema.Union([
  kindOf("exact_match", Schema.optionalKey(noMembers)),
  /** `value`: what must be in the completion; the row's own completion unless given. */
  kindOf(
    "contains",
    Schema.optionalKey(Schema.Struct({ value: Schema.optionalKey(text(DistillLimits.rewardTextMax)) }))
  ),
  /** In RE2's syntax, found anywhere in the completion. */
  kindOf("regex", Schema.Struct({ pattern: text(DistillLimits.patternMax) })),
  /** A JSON Schema of draft 2020-12, 2019-09 or 07. */
  kindOf(
    "json_schema",
    Schema.Struct({ schema: Schema.JsonObject.check(Schema.isMaxProperties(DistillLimits.schemaMembersMax)) })
  ),
  /** The largest difference that counts as equal. */
  kindOf("numeric", Schema.Struct({ tolerance: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)) })),
  kindOf(
    "llm_judge",
    Schema.Struct({
      rubric: text(DistillLimits.rewardTextMax),
      model: text(DistillLimits.nameMax),
      /** A source by name or id; the default one unless given. */
      source: Schema.optionalKey(text(DistillLimits.nameMax)),
      scale: Schema.Struct({ min: Schema.Finite, max: Schema.Finite })
    })
  ),
  kindOf("http", Schema.Struct({ url: text(CoreLimits.urlMax).annotate({ format: "uri" }) }))
])

type KindSchema<K extends Schema.Top, C extends Schema.Top> = Schema.Struct<{ readonly kind: K; readonly config: C }>

/** A stored rule always has its config. */
interface WithConfig extends Struct.Lambda {
  <K extends Schema.Top, C extends Schema.Top>(schema: KindSchema<K, C>): unknown
  readonly "~lambda.out": this["~lambda.in"] extends KindSchema<infer K, infer C>
    ? KindSchema<K, C extends Schema.optionalKey<infer S extends Schema.Top> ? S : C>
    : never
}
const requiredOf = (config: Schema.Top): Schema.Top =>
  "schema" in config && Schema.isSchema(config.schema) ? config.schema : config
const withConfig = Struct.lambda<WithConfig>(({ fields: { config, kind } }) =>
  Schema.Struct({ kind, config: requiredOf(config) })
)

export const Rule = RewardInput.mapMembers(Tuple.map(withConfig))
export type Rule = typeof Rule.Type
type RewardKind = Rule["kind"]
export type RuleOf<K extends RewardKind> = Extract<Rule, { readonly kind: K }>
export type JudgeConfig = RuleOf<"llm_judge">["config"]

export const Reward = Schema.Struct({
  id: RewardId,
  name: Schema.String,
  rule: Rule,
  /** What signs the requests to an `http` scorer, sealed; null for other kinds. */
  sealedSecret: Schema.NullOr(Schema.String),
  createdAt: Millis
})
export type Reward = typeof Reward.Type

export const kind = Kind.make({ name: "reward", schema: Reward })
