/**
 * The scores of candidates' answers. Judges score a batch of answers at a time, once all candidates have answered: nothing else then
 * spends of the stage's budget. The judges' tokens of a batch are reserved before it is scored.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { DistillLimits } from "../../Limits.ts"
import type { Completion } from "../../reward/Completion.ts"
import type { ReadyReward } from "../../reward/Rewards.ts"
import type { StageFailure, StageRow } from "../../run/Executor.ts"
import * as Scores from "../../scoring/internal/Scores.ts"

export interface CandidateScores {
  readonly row: StageRow
  /** Null: no answer came. */
  readonly completion: Completion | null
  /** In the order of the rewards; those of judges come last of all. Empty without an answer. */
  readonly scores: Array<number | null>
}

interface JudgedBatch {
  readonly judgeTokens: number
  /** Why the stage fails, if it does: the reward may be available later. */
  readonly failure: string | null
}

const isUnavailable = ({ error }: { readonly error: string | null }): boolean =>
  error === "no_source" || error === "judge_failed"

const asksJudge = ({ reward }: ReadyReward): boolean => reward.rule.kind === "llm_judge"

export const make = (ready: ReadonlyArray<ReadyReward>) => {
  const judges = ready.filter(asksJudge)

  /** In the order of the rewards, with null for those that ask a judge. */
  const scoreFree = (row: StageRow["row"], completion: Completion) =>
    Effect.forEach(ready, (one) =>
      asksJudge(one) ? Effect.succeed(null) : Effect.map(one.score(row, completion), ({ score }) => score)
    )

  const judgeBatch = Effect.fnUntraced(function* (
    batch: ReadonlyArray<CandidateScores & { readonly completion: Completion }>,
    reserve: (tokens: number) => Effect.Effect<void, StageFailure>
  ) {
    const answers = batch.map(({ completion, row: { row } }) => ({ row, completion }))
    yield* reserve(Scores.judgeTokensMax(judges, answers))
    const scoring = { isRehearsal: false, inSlot: <A, E>(question: Effect.Effect<A, E>) => question }
    const { data, judgeTokens } = yield* Scores.of(judges, answers, scoring)
    for (const [index, { rewards }] of data.entries()) {
      for (const { reward: id, score } of rewards) {
        const place = ready.findIndex(({ reward }) => reward.id === id)
        const scores = batch[index]?.scores
        if (scores !== undefined) scores[place] = score
      }
    }
    const broken = data.flatMap(({ rewards }) => rewards).find(isUnavailable)
    const failure = broken === undefined ? null : `Reward ${broken.reward}: ${broken.message}`
    return { judgeTokens, failure } satisfies JudgedBatch
  })

  /** Completes the scores of these answers. `reserve` takes judge tokens in addition to the spent ones. */
  const judge = (
    answers: ReadonlyArray<CandidateScores>,
    reserve: (tokens: number) => Effect.Effect<void, StageFailure>
  ): Stream.Stream<JudgedBatch, StageFailure> =>
    judges.length === 0
      ? Stream.empty
      : Stream.fromIterable(answers).pipe(
          Stream.flatMap(({ completion, ...answer }) =>
            completion === null ? Stream.empty : Stream.succeed({ ...answer, completion })
          ),
          Stream.grouped(DistillLimits.judgedAtOnceMax),
          Stream.mapEffect((batch) => judgeBatch(batch, reserve))
        )

  return { scoreFree, judge }
}
