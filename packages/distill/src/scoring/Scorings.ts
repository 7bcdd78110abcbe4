/**
 * Scores a trainer's completions by the rewards of its run's recipe: one implementation of a reward for every caller. The
 * capability of the run's attempt is the only authority, and is good for nothing else.
 */
import {
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  type StorageError,
  type Unauthenticated
} from "@limbeck/core/errors/Errors"
import type { Ids } from "@limbeck/core/ids/Ids"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { Pools } from "@limbeck/core/pools/Pools"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import type { Storage } from "@limbeck/core/storage/Storage"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type { Digest } from "effect/crypto/Digest"
import type { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Row } from "../dataset/Row.ts"
import * as RowShape from "../dataset/RowShape.ts"
import { RowStore } from "../dataset/RowStore.ts"
import { JudgesNotAllowed, type ScoringOver } from "../Errors.ts"
import { DistillLimits } from "../Limits.ts"
import { Recipe } from "../recipe/Recipe.ts"
import type { Completion } from "../reward/Completion.ts"
import { type ReadyReward, Rewards } from "../reward/Rewards.ts"
import * as Scores from "./internal/Scores.ts"
import * as ScoringGrants from "./internal/ScoringGrants.ts"
import * as JudgeBudget from "./JudgeBudget.ts"

/** A completion of a train row, which is named by its key in the version. */
export interface ScoredCompletion {
  readonly row: string
  readonly completion: Completion
}

export interface ScoredBatch {
  /** In the order of the completions. */
  readonly data: ReadonlyArray<Scores.CompletionScore>
  readonly judgeTokens: number
}

export class Scorings extends Context.Service<
  Scorings,
  {
    /** The run's partition, if the capability is valid now: checked before a body is read. */
    readonly check: (
      run: string,
      capability: string
    ) => Effect.Effect<Partition, Unauthenticated | ScoringOver | StorageError>
    /** At most `DistillLimits.scoredMax` completions. Waits for judges, and for the budget to allow what they may take. */
    readonly score: (
      run: string,
      capability: string,
      completions: ReadonlyArray<ScoredCompletion>
    ) => Effect.Effect<
      ScoredBatch,
      Unauthenticated | ScoringOver | JudgesNotAllowed | InvalidInput | NotFound | ChangedMeanwhile | StorageError
    >
  }
>()("@limbeck/distill/scoring/Scorings") {}

const decodeRow = Schema.decodeUnknownEffect(Schema.fromJsonString(Row))
const decodeRecipe = Schema.decodeUnknownEffect(Recipe)

type Grants = Effect.Success<typeof ScoringGrants.make>

/** The rows of the completions, in their order. Nobody learns from the holdout. */
const rowsOf = Effect.fnUntraced(function* (
  store: RowStore["Service"],
  { partition, run }: ScoringGrants.LiveGrant,
  completions: ReadonlyArray<ScoredCompletion>
) {
  const found = yield* store.findMany(
    partition,
    run.datasetVersion,
    completions.map(({ row }) => row)
  )
  const bodies = new Map(found.filter(({ split }) => split === "train").map(({ body, key }) => [key, body]))
  return yield* Effect.forEach(completions, ({ completion, row }, index) => {
    const body = bodies.get(row)
    if (body === undefined) return invalid(`completions[${index}].row`, `The version has no train row ${row}`)
    const fault = RowShape.faultOf({ completion })
    if (fault !== undefined) return invalid(`completions[${index}].completion`, fault)
    // A version's rows were checked before storage.
    return Effect.map(Effect.orDie(decodeRow(body)), (decoded) => ({ row: decoded, completion }))
  })
})

/** Waits until judges may take so many tokens more, and holds them. */
const makeHold = (grants: Grants) =>
  Effect.fnUntraced(function* (run: string, capability: string, tokens: number) {
    const until = (yield* Clock.currentTimeMillis) + DistillLimits.judgesAllowedMillis
    while (true) {
      const { partition, stored } = yield* grants.find(run, capability)
      const { digest, id } = stored.value
      let isHeld = false
      yield* grants.charge(partition, { digest, id }, (judges) => {
        const held = JudgeBudget.hold(judges, tokens)
        isHeld = held !== null
        return held ?? JudgeBudget.want(judges, tokens)
      })
      if (isHeld) return { partition, digest, id }
      if ((yield* Clock.currentTimeMillis) >= until) return yield* new JudgesNotAllowed({ run, retryAfterSeconds: 1 })
      yield* Effect.sleep(DistillLimits.judgesLookMillis)
    }
  })

const make = Effect.gen(function* () {
  const rewards = yield* Rewards
  const store = yield* RowStore
  const grants = yield* ScoringGrants.make
  const hold = makeHold(grants)
  const slots = FairSlots.make(Pools.judgedCompletions)

  const readyOf = Effect.fnUntraced(function* ({ partition, run }: ScoringGrants.LiveGrant) {
    const recipe = yield* Effect.orDie(decodeRecipe(run.recipe))
    return yield* Effect.forEach([...new Set(recipe.rewards)], (id) => rewards.ready(partition, id))
  })

  /** The judges' actual tokens are spent; all held tokens if the use is unknown. */
  const paid = (run: string, capability: string, tokens: number, scores: Effect.Effect<ScoredBatch>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(hold(run, capability, tokens)), ({ partition, ...grant }) =>
        Effect.onExit(restore(scores), (exit) => {
          const took = Exit.isSuccess(exit) ? exit.value.judgeTokens : tokens
          return Effect.ignore(grants.charge(partition, grant, (judges) => JudgeBudget.settle(judges, tokens, took)))
        })
      )
    )

  const score = Effect.fn("Scorings.score")(function* (
    run: string,
    capability: string,
    completions: ReadonlyArray<ScoredCompletion>
  ) {
    const live = yield* grants.find(run, capability)
    const rows = yield* rowsOf(store, live, completions)
    const ready: ReadonlyArray<ReadyReward> = yield* readyOf(live)
    const { partition, run: owner } = live
    const scores = Scores.of(ready, rows, {
      isRehearsal: owner.dryRun,
      inSlot: (question) => slots.run(partition.workspace, question)
    })
    const tokens = owner.dryRun ? 0 : Scores.judgeTokensMax(ready, rows)
    return yield* tokens === 0 ? scores : paid(run, capability, tokens, scores)
  })

  return Scorings.of({
    check: (run, capability) => Effect.map(grants.find(run, capability), ({ partition }) => partition),
    score
  })
})

export const layer: Layer.Layer<
  Scorings,
  never,
  Storage | ResourceStore | RowStore | Rewards | Ids | Digest | SecureRandom
> = Layer.effect(Scorings, make)
