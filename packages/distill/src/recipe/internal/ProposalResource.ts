/**
 * A proposal as the API answers it (service-api 2.3). `student_model`, `stages` and `rewards` are the recipe of a run; all
 * else tells. It is stored nowhere, so it has no id and no time, and the same question has the same answer.
 */
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Plan } from "../../run/internal/PlanHash.ts"
import type { Proposal } from "../Proposal.ts"
import type { Wish } from "../ProposalInput.ts"

export const render = (
  partition: Partition,
  proposed: {
    readonly datasetVersion: string
    readonly wish: Wish
    readonly proposal: Proposal
    readonly compute: Plan["compute"]
    readonly planHash: string
  }
) => {
  const { compute, datasetVersion, planHash, proposal, wish } = proposed
  return {
    object: "distill_recipe" as const,
    livemode: partition.livemode,
    case: proposal.case,
    student_model: proposal.student.id,
    stages: proposal.stages,
    rewards: wish.rewards,
    estimate: {
      gpu_seconds: proposal.estimate.gpuSeconds,
      cost_usd: toUsd(proposal.estimate.costMicros),
      wall_clock_minutes: proposal.estimate.wallClockMinutes,
      assumptions: proposal.estimate.assumptions
    },
    dataset_version: datasetVersion,
    objective: wish.objective,
    outcome: wish.outcome,
    budget: { max_cost_usd: toUsd(wish.maxCostMicros) },
    compute,
    plan_hash: planHash,
    rationale: proposal.rationale
  }
}
export type ProposalResource = ReturnType<typeof render>
