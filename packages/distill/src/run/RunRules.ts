/** The rules of runs that need no storage (contract 5): budgets, the live gate, where a retry may begin. */
import { type Conflict, conflict, type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import { fromUsd } from "@limbeck/core/money/Money"
import * as Result from "effect/Result"
import type { RunRequest } from "./NewRun.ts"
import type { Run } from "./Run.ts"

/** Whole micro-dollars: above 0 for a live run, at least 0 for a dry run. */
export const checkBudget = (maxCostUsd: number, dryRun: boolean): Result.Result<number, InvalidInput> => {
  const param = "budget.max_cost_usd"
  const micros = fromUsd(maxCostUsd)
  if (micros === undefined) return Result.fail(invalid(param, "A budget is in US dollars with at most 6 decimals"))
  if (micros < 0) return Result.fail(invalid(param, "A budget is not negative"))
  return micros === 0 && !dryRun
    ? Result.fail(invalid(param, "A live run needs a budget above 0"))
    : Result.succeed(micros)
}

/** Of `validated_dry_run` and `plan_hash`, both or none. */
export const checkProofShape = (
  validatedDryRun: string | undefined,
  planHash: string | undefined
): Result.Result<void, InvalidInput> => {
  if ((validatedDryRun === undefined) === (planHash === undefined)) return Result.void
  const missing = planHash === undefined ? "plan_hash" : "validated_dry_run"
  return Result.fail(invalid(missing, "validated_dry_run and plan_hash come together or not at all"))
}

/** A live run that names a rehearsal must be the plan that was rehearsed. `rehearsal` is null when none is named. */
export const checkLiveGate = (
  request: RunRequest,
  rehearsal: Run | null,
  planHash: string
): Result.Result<void, Conflict> => {
  if (rehearsal === null) return Result.void
  const param = "validated_dry_run"
  if (!rehearsal.dryRun) return Result.fail(conflict(`Run ${rehearsal.id} is not a dry run`, param))
  if (rehearsal.status !== "succeeded") {
    return Result.fail(conflict(`The rehearsal ${rehearsal.id} is ${rehearsal.status}, not succeeded`, param))
  }
  if (request.planHash !== planHash) {
    return Result.fail(conflict("plan_hash is not that of this data, recipe, budget and compute", "plan_hash"))
  }
  return rehearsal.planHash === planHash
    ? Result.void
    : Result.fail(conflict(`Run ${rehearsal.id} rehearsed another plan`, param))
}

/** The stage at which a retry of a failed or canceled run begins; by default the first that is still open. */
export const checkRetry = (run: Run, fromStage: number | null): Result.Result<number, InvalidInput> => {
  const open = run.stages.find((stage) => stage.status !== "succeeded" && stage.status !== "skipped")
  if (fromStage === null) return Result.succeed(open?.seq ?? 1)
  const refuse = (message: string) => Result.fail(invalid("from_stage", message))
  const stage = run.stages.find((row) => row.seq === fromStage)
  if (stage === undefined) return refuse("from_stage is a stage sequence from 1 to 5")
  if (stage.status === "skipped") return refuse(`Stage ${fromStage} is not part of this run`)
  return open !== undefined && open.seq < fromStage
    ? refuse(`Stage ${open.seq} before it has no result yet`)
    : Result.succeed(fromStage)
}
