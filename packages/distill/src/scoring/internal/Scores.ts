/** Scores of many completions by many rewards. */
import * as Effect from "effect/Effect"
import type { Row } from "../../dataset/Row.ts"
import { tokensOf } from "../../dataset/RowText.ts"
import { DistillLimits } from "../../Limits.ts"
import { type Completion, toMessage } from "../../reward/Completion.ts"
import * as Judge from "../../reward/internal/Judge.ts"
import type { RewardScore, ScoreError } from "../../reward/internal/RewardScore.ts"
import type { ReadyReward } from "../../reward/Rewards.ts"

interface RowAndCompletion {
  readonly row: Row
  readonly completion: Completion
}

interface OneScore {
  readonly reward: string
  readonly score: number | null
  /** `not_asked`: a rehearsal asks nobody outside. */
  readonly error: ScoreError | "not_asked" | null
  readonly message: string
  /** A retry may find the judge or scorer available. */
  readonly retryable: boolean
}

export interface CompletionScore {
  /** The mean of the available rewards; null without one. */
  readonly score: number | null
  readonly rewards: ReadonlyArray<OneScore>
}

const passing: ReadonlyArray<OneScore["error"]> = ["judge_failed", "scorer_failed"]
const outside: ReadonlyArray<string> = ["llm_judge", "http"]

const scoreWith = (
  { reward, score }: ReadyReward,
  { completion, row }: RowAndCompletion,
  { inSlot, isRehearsal }: Scoring
): Effect.Effect<OneScore & { readonly judgeTokens: number }> =>
  isRehearsal && outside.includes(reward.rule.kind)
    ? Effect.succeed({
        reward: reward.id,
        score: null,
        error: "not_asked",
        message: "A rehearsal asks nobody outside",
        retryable: false,
        judgeTokens: 0
      })
    : Effect.map(
        outside.includes(reward.rule.kind) ? inSlot(score(row, completion)) : score(row, completion),
        ({ error, judgeTokens, message, score: given }: RewardScore) => ({
          reward: reward.id,
          score: given,
          error,
          message,
          retryable: passing.includes(error),
          judgeTokens
        })
      )

/** How completions are scored. */
export interface Scoring {
  /** A rehearsal asks nobody outside. */
  readonly isRehearsal: boolean
  /** Waits for a slot of the workspace before a question to somebody outside. */
  readonly inSlot: <A, E>(question: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

const meanOf = (rewards: ReadonlyArray<OneScore>): number | null => {
  const given = rewards.map(({ score }) => score).filter((score) => score !== null)
  return given.length === 0 ? null : given.reduce((sum, score) => sum + score, 0) / given.length
}

/** In the order of the completions. */
export const of = (ready: ReadonlyArray<ReadyReward>, completions: ReadonlyArray<RowAndCompletion>, scoring: Scoring) =>
  Effect.map(
    Effect.forEach(completions, (one) => Effect.forEach(ready, (reward) => scoreWith(reward, one, scoring)), {
      concurrency: DistillLimits.judgedAtOnceMax
    }),
    (scored) => ({
      data: scored.map((all): CompletionScore => {
        const rewards = all.map(({ judgeTokens: _, ...one }) => one)
        return { score: meanOf(rewards), rewards }
      }),
      judgeTokens: scored.flat().reduce((sum, { judgeTokens }) => sum + judgeTokens, 0)
    })
  )

/** The most that judges take for these. */
export const judgeTokensMax = (
  ready: ReadonlyArray<ReadyReward>,
  completions: ReadonlyArray<RowAndCompletion>
): number => {
  const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((all, one) => all + one, 0)
  const texts = completions.map(({ completion, row: { completion: own, messages } }) =>
    sum([...messages, toMessage(own ?? ""), toMessage(completion)].map(tokensOf))
  )
  return sum(
    ready.map(({ reward: { rule } }) =>
      rule.kind === "llm_judge" ? sum(texts.map((tokens) => Judge.tokensMax(rule.config, tokens))) : 0
    )
  )
}
