/** The rules of runs without storage (contract 5): budgets, the live gate, the start of a retry. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Money from "@limbeck/core/money/Money"
import * as Result from "effect/Result"
import { PlanHashMismatch, RehearsalUnusable, StageNotRetryable } from "../../Errors.ts"
import type { Run } from "../Run.ts"

/** Whole micro-dollars: above 0 for a live run, at least 0 for a dry run. */
export const checkBudget = (maxCostUsd: number, dryRun: boolean): Result.Result<number, InvalidInput> => {
  const param = "budget.max_cost_usd"
  const micros = Money.fromUsd(maxCostUsd)
  if (micros === undefined) return Result.fail(invalid(param, `A budget is in ${Money.wording}`))
  if (micros < 0) return Result.fail(invalid(param, "A budget is not negative"))
  return micros === 0 && !dryRun
    ? Result.fail(invalid(param, "A live run needs a budget above 0"))
    : Result.succeed(micros)
}

/** Of `validated_dry_run` and `plan_hash`, both or none. */
export const checkProofShape = (
  validatedDryRun: string | null | undefined,
  planHash: string | null | undefined
): Result.Result<void, InvalidInput> => {
  if ((validatedDryRun == null) === (planHash == null)) return Result.void
  const missing = planHash == null ? "plan_hash" : "validated_dry_run"
  return Result.fail(invalid(missing, "validated_dry_run and plan_hash come together or not at all"))
}

/**
 * A run that names a rehearsal must be the plan that was rehearsed, on the same dataset version (service-api 4.1). Two versions of
 * equal content have equal plan hashes. `rehearsal` is null when none is named.
 */
export const checkProof = (
  request: { readonly datasetVersion: string; readonly planHash: string | null },
  rehearsal: Run | null,
  planHash: string
): Result.Result<void, RehearsalUnusable | PlanHashMismatch> => {
  if (rehearsal === null) return Result.void
  const { id, status } = rehearsal
  const unusable = (fault: RehearsalUnusable["fault"]) => Result.fail(new RehearsalUnusable({ id, fault, status }))
  if (!rehearsal.dryRun) return unusable("not_a_dry_run")
  if (status !== "succeeded") return unusable("not_succeeded")
  if (request.planHash !== planHash) {
    return Result.fail(new PlanHashMismatch({ approved: request.planHash, actual: planHash }))
  }
  if (rehearsal.planHash !== planHash) return unusable("another_plan")
  return rehearsal.datasetVersion === request.datasetVersion ? Result.void : unusable("another_version")
}

/** The first stage of a retry of a failed or canceled run; by default the first open one. */
export const checkRetry = (
  run: Run,
  fromStage: number | null
): Result.Result<number, InvalidInput | StageNotRetryable> => {
  const open = run.stages.find((stage) => stage.status !== "succeeded" && stage.status !== "skipped")
  if (fromStage === null) return Result.succeed(open?.seq ?? 1)
  const refuse = (open: number | null) => Result.fail(new StageNotRetryable({ stage: fromStage, open }))
  const stage = run.stages.find((row) => row.seq === fromStage)
  if (stage === undefined) {
    return Result.fail(invalid("from_stage", `from_stage is a stage sequence from 1 to ${run.stages.length}`))
  }
  if (stage.status === "skipped") return refuse(null)
  return open !== undefined && open.seq < fromStage ? refuse(open.seq) : Result.succeed(fromStage)
}
