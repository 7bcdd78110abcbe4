/** A source: a configured provider of models (contract 7, 14.25). */
import * as Id from "@limbeck/core/ids/Id"
import * as Kind from "@limbeck/core/resources/Kind"
import { Reference } from "@limbeck/core/resources/WireSchemas"
import * as Characters from "@limbeck/core/text/Characters"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Dialect } from "../dialect/Dialect.ts"
import { CaptureLimits } from "../Limits.ts"
import { dollarFields, priceFields } from "../price/Price.ts"

export const SourceId = Id.schema("src")
export type SourceId = typeof SourceId.Type

/** `byok`: the caller's own key, whose answers pass through as they are. `managed`: held to a catalog, with errors of ours. */
export const SourceKind = Schema.Literals(["byok", "managed"])

/** `journal`: a call is on disk before its answer's last byte; `buffered`: the record stays in memory until storage has it. */
export const Durability = Schema.Literals(["journal", "buffered"])
export type Durability = typeof Durability.Type

export const Capture = Schema.Struct({
  enabled: Schema.Boolean,
  /** The share of calls that is kept, from 0 to 1. */
  sample_rate: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 })),
  durability: Durability
})
export type Capture = typeof Capture.Type

/** How calls are captured where nothing else is set. */
export const defaultCapture: Capture = { enabled: true, sample_rate: 1, durability: "journal" }

const ModelId = Schema.NonEmptyString.check(Characters.isMaxCharacters(CaptureLimits.modelIdMax))

const TokenLimit = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: CaptureLimits.modelTokensMax }))

/** A model by its id, or with what a million of its tokens cost and how many it writes at most. */
export const SourceModel = Schema.Union([
  ModelId,
  Schema.Struct({
    id: ModelId,
    ...priceFields,
    max_output_tokens: Schema.optionalKey(TokenLimit)
  })
])
export type SourceModel = typeof SourceModel.Type

export const modelIdOf = (model: SourceModel): string => (typeof model === "string" ? model : model.id)

/** Another source, by id, and the model that it is asked for; by default the one of the call. */
const SourceFallback = Schema.Struct({ source: SourceId, model: Schema.optionalKey(ModelId) })
type SourceFallback = typeof SourceFallback.Type

/** A fallback as a request names it: the source by name or id. */
export const GivenFallback = Schema.Struct({ source: Reference, model: Schema.optionalKey(ModelId) })
export type GivenFallback = typeof GivenFallback.Type

export const Retries = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: CaptureLimits.retriesMax }))

export const Source = Schema.Struct({
  id: SourceId,
  name: Schema.String,
  kind: SourceKind,
  dialect: Dialect.pipe(Schema.withDecodingDefaultKey(Effect.succeed("openai" as const))),
  /** With the provider's `/v1`, without a slash at its end. */
  baseUrl: Schema.String,
  /** Sealed; see core's Secrets. Null: the upstream asks for none. */
  sealedKey: Schema.NullOr(Schema.String),
  keyLast4: Schema.NullOr(Schema.String),
  timeoutMillis: Schema.Int,
  capture: Capture,
  /** As they were given. */
  models: Schema.Array(SourceModel),
  /** Asked in this order where this source fails. */
  fallbacks: Schema.Array(SourceFallback).pipe(Schema.withDecodingDefaultKey(Effect.succeed([]))),
  /** How often this source is asked again where it fails. */
  retries: Retries.pipe(Schema.withDecodingDefaultKey(Effect.succeed(0))),
  createdAt: Millis,
  updatedAt: Millis
})
export type Source = typeof Source.Type

/** Rung (`Queue.nudge`) when a source has changed, or which one is the default. */
export const bell = "sources"

/** The label of sources that name this source as a fallback. */
export const fallbackLabel = ({ source }: Pick<SourceFallback, "source">): string => `fallback:${source}`

export const kind = Kind.make({
  name: "source",
  schema: Source,
  labels: (source) => [`kind:${source.kind}`, ...source.fallbacks.map(fallbackLabel)],
  unique: (source) => source.name
})

/** The default source of a partition's calls. A single row keeps it unique. */
const Default = Schema.Struct({ id: Schema.String, source: SourceId, createdAt: Millis })

export const defaultKind = Kind.make({ name: "default_source", schema: Default })

export const defaultRow = "default"

export const isId = Id.isOf("src")

/** A change of a source: what is absent stays. */
export interface SourcePatch {
  readonly name?: string | undefined
  readonly dialect?: Dialect | undefined
  readonly baseUrl?: string | undefined
  /** Null: none from now on. */
  readonly apiKey?: string | null | undefined
  readonly isDefault?: boolean | undefined
  readonly timeoutMillis?: number | undefined
  /** Of it too, what is absent stays. */
  readonly capture?: { readonly [K in keyof Capture]?: Capture[K] | undefined } | undefined
  readonly models?: ReadonlyArray<SourceModel> | undefined
  readonly fallbacks?: ReadonlyArray<GivenFallback> | undefined
  readonly retries?: number | undefined
}

/** Whether any model has a price. */
export const isPriced = (models: ReadonlyArray<SourceModel>): boolean =>
  models.some(
    (model) => typeof model !== "string" && (model.tiers ?? dollarFields.find((field) => field in model)) !== undefined
  )
