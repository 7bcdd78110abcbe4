/** Rewards as callers see them: made, read, and scored with. */

import type { QuotaExceeded } from "@limbeck/billing/Errors"
import { ChatCompletions } from "@limbeck/capture/source/ChatCompletions"
import {
  type InvalidInput,
  invalid,
  type NotFound,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Base62 from "@limbeck/core/tokens/Base62"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import { Mac } from "effect/crypto/Mac"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RowShape from "../dataset/RowShape.ts"
import type { Completion, ScoringRow } from "./Completion.ts"
import { HttpScorer } from "./HttpScorer.ts"
import * as RewardRules from "./internal/RewardRules.ts"
import type { RewardScore } from "./internal/RewardScore.ts"
import * as Scorer from "./internal/Scorer.ts"
import { JsonSchemas } from "./JsonSchemas.ts"
import { Patterns } from "./Patterns.ts"
import * as Reward from "./Reward.ts"

export interface NewReward {
  readonly name: string
  readonly rule: Reward.Rule
}

export interface CreatedReward {
  readonly reward: Reward.Reward
  /** Of an `http` reward, shown this once; null for other kinds. */
  readonly secret: string | null
}

/** A reward made ready to score many rows. */
export interface ReadyReward {
  readonly reward: Reward.Reward
  readonly score: Scorer.Score
}

export class Rewards extends Context.Service<
  Rewards,
  {
    readonly create: (
      partition: Partition,
      request: NewReward
    ) => Effect.Effect<CreatedReward, InvalidInput | ReferenceUnknown | StorageError>
    readonly get: (partition: Partition, id: string) => Effect.Effect<Reward.Reward, NotFound | StorageError>
    /** Newest first. */
    readonly page: (partition: Partition, request: PageRequest) => Effect.Effect<Page<Reward.Reward>, StorageError>
    /** For many rows, such as an evaluation's, whose run pays for judges; `judgeModel` replaces a judge's own model. */
    readonly ready: (
      partition: Partition,
      id: string,
      options?: { readonly judgeModel?: string | undefined }
    ) => Effect.Effect<ReadyReward, NotFound | StorageError>
    /**
     * One score, which may wait for a judge or a scorer. Refuses a row without the part that the kind compares with, and a
     * row or a completion beyond the row limits.
     */
    readonly score: (
      partition: Partition,
      id: string,
      request: { readonly row: ScoringRow; readonly completion: Completion }
    ) => Effect.Effect<RewardScore, InvalidInput | NotFound | QuotaExceeded | StorageError>
  }
>()("@limbeck/distill/reward/Rewards") {}

const withJudge = (reward: Reward.Reward, model: string | undefined): Reward.Reward =>
  model === undefined || reward.rule.kind !== "llm_judge"
    ? reward
    : { ...reward, rule: { ...reward.rule, config: { ...reward.rule.config, model } } }

/** 256 random bits, in the form of a webhook's secret. */
const secretBytes = 32

const make = Effect.fnUntraced(function* (options: { readonly brand?: string }) {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const random = yield* SecureRandom
  const ids = yield* Ids
  const tools: Omit<Scorer.Tools, "isCharged"> = {
    patterns: yield* Patterns,
    schemas: yield* JsonSchemas,
    models: yield* ChatCompletions,
    http: yield* HttpScorer,
    mac: yield* Mac,
    brand: options.brand ?? "Service"
  }

  const checkSource = Effect.fnUntraced(function* (partition: Partition, { config, kind }: Reward.Rule) {
    if (kind !== "llm_judge" || config.source === undefined) return
    const known = yield* tools.models.hasSource(partition, config.source)
    if (!known) return yield* referenceUnknown("source", config.source, "config.source")
  })

  const newSecret = Effect.map(random.randomBytes(secretBytes), (bytes) => `whsec_${Base62.fromBytes(bytes)}`)

  const create = Effect.fn("Rewards.create")(function* (partition: Partition, { name, rule }: NewReward) {
    const reach = { policy: tools.http.policy, livemode: partition.livemode }
    yield* Effect.fromResult(yield* RewardRules.check(rule, tools, reach))
    yield* checkSource(partition, rule)
    const secret = rule.kind === "http" ? yield* newSecret : null
    const reward: Reward.Reward = {
      id: yield* ids.make("rwd"),
      name,
      rule,
      sealedSecret: secret === null ? null : yield* secrets.seal(secret, partition.key),
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* resources.add(partition, Reward.kind, reward)
    return { reward, secret }
  })

  const get = (partition: Partition, id: string) => Resources.requireValue(resources, partition, Reward.kind, id)

  const scorerOf = Effect.fnUntraced(function* (partition: Partition, reward: Reward.Reward, isCharged: boolean) {
    const secret = reward.sealedSecret === null ? "" : yield* secrets.open(reward.sealedSecret, partition.key)
    return Scorer.make({ ...tools, isCharged }, partition, reward, secret)
  })

  const ready = Effect.fn("Rewards.ready")(function* (
    partition: Partition,
    id: string,
    { judgeModel }: { readonly judgeModel?: string | undefined } = {}
  ) {
    const reward = withJudge(yield* get(partition, id), judgeModel)
    const score = yield* scorerOf(partition, reward, false)
    // An uncharged judge is never refused for the balance.
    const scored: Scorer.Score = (row, completion) =>
      Effect.catchTag(score(row, completion), "QuotaExceeded", Effect.die)
    return { reward, score: scored }
  })

  const score = Effect.fn("Rewards.score")(function* (
    partition: Partition,
    id: string,
    { completion, row }: { readonly row: ScoringRow; readonly completion: Completion }
  ) {
    const rowFault = RowShape.faultOf(row)
    if (rowFault !== undefined) return yield* invalid("row", rowFault)
    const fault = RowShape.faultOf({ completion })
    if (fault !== undefined) return yield* invalid("completion", fault)
    const scorer = yield* scorerOf(partition, yield* get(partition, id), true)
    const scored = yield* scorer(row, completion)
    if (scored.error === "no_reference") return yield* invalid("row.completion", scored.message)
    if (scored.error === "no_source") return yield* invalid("config.source", scored.message)
    return scored
  })

  return Rewards.of({
    create,
    get,
    ready,
    score,
    page: (partition: Partition, request: PageRequest) => resources.page(partition, Reward.kind, [], request)
  })
})

type Needs = ResourceStore | Secrets | SecureRandom | Ids | Mac | Patterns | JsonSchemas | ChatCompletions | HttpScorer

/** `brand` begins the names of our headers: `Service` unless set. */
export const layerWith = (options: { readonly brand?: string }): Layer.Layer<Rewards, never, Needs> =>
  Layer.effect(Rewards, make(options))

export const layer = layerWith({})
