/** A reward: a rule that scores a completion from 0 to 1 (contract 6, 14.19). It never changes once it is made. */
import * as Id from "@limbeck/core/ids/Id"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as Kind from "@limbeck/core/resources/Kind"
import * as Characters from "@limbeck/core/text/Characters"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"

export const RewardId = Id.schema("rwd")
export type RewardId = typeof RewardId.Type

const text = (max: number) => Schema.NonEmptyString.check(Characters.isMaxCharacters(max))

/** Takes no member; `Schema.Struct({})` would take any value. */
const noMembers = Schema.Record(Schema.String, Schema.Never)

/** What each kind is told. The lengths are in characters. */
export const configs = {
  exact_match: noMembers,
  /** `value`: what must be in the completion; the row's own completion unless given. */
  contains: Schema.Struct({ value: Schema.optionalKey(text(DistillLimits.rewardTextMax)) }),
  /** In RE2's syntax, found anywhere in the completion. */
  regex: Schema.Struct({ pattern: text(DistillLimits.patternMax) }),
  /** A JSON Schema of draft 2020-12, 2019-09 or 07. */
  json_schema: Schema.Struct({
    schema: Schema.JsonObject.check(Schema.isMaxProperties(DistillLimits.schemaMembersMax))
  }),
  /** The largest difference that counts as equal. */
  numeric: Schema.Struct({ tolerance: Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0)) }),
  llm_judge: Schema.Struct({
    rubric: text(DistillLimits.rewardTextMax),
    model: text(DistillLimits.nameMax),
    /** A source by name or id; the default one unless given. */
    source: Schema.optionalKey(text(DistillLimits.nameMax)),
    scale: Schema.Struct({ min: Schema.Finite, max: Schema.Finite })
  }),
  http: Schema.Struct({ url: text(CoreLimits.urlMax).annotate({ format: "uri" }) })
} as const

export type RewardKind = keyof typeof configs

const rule = <const K extends RewardKind>(kind: K) =>
  Schema.Struct({ kind: Schema.Literal(kind), config: configs[kind] })

export const Rule = Schema.Union([
  rule("exact_match"),
  rule("contains"),
  rule("regex"),
  rule("json_schema"),
  rule("numeric"),
  rule("llm_judge"),
  rule("http")
])
export type Rule = typeof Rule.Type
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
