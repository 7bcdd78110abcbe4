/**
 * Lets the trainer of one attempt of a run request scores by the recipe's rewards. One per run: a later attempt's grant
 * replaces the earlier one.
 */
import * as Kind from "@limbeck/core/resources/Kind"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Schema from "effect/Schema"
import { RunId, type RunStage } from "../../run/Run.ts"
import * as JudgeBudget from "../JudgeBudget.ts"

export const ScoringGrant = Schema.Struct({
  /** The run's id. */
  id: RunId,
  stage: Schema.Int,
  attempt: Schema.Int,
  /** When the stage began: another time after a retry. */
  stageStartedAt: Schema.NullOr(Millis),
  /** Lowercase hex SHA-256 of the capability. */
  digest: Schema.String,
  expiresAt: Millis,
  judges: JudgeBudget.JudgeTokens,
  createdAt: Millis
})
export type ScoringGrant = typeof ScoringGrant.Type

export const kind = Kind.make({ name: "scoring_grant", schema: ScoringGrant })

/** What judges have taken for the stage before this attempt. A retry without a checkpoint begins the stage, and its usage, anew. */
export const judgesBefore = (
  before: ScoringGrant | undefined,
  { checkpoint, seq, startedAt }: RunStage
): JudgeBudget.JudgeTokens =>
  before !== undefined && before.stage === seq && (before.stageStartedAt === startedAt || checkpoint !== null)
    ? JudgeBudget.carryOver(before.judges)
    : JudgeBudget.none
