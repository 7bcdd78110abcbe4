/**
 * A proposal as the API answers it (service-api 2.3). `student_model`, `stages` and `rewards` are the recipe of a run; all
 * else tells. It is stored nowhere, so it has no id and no time, and the same question has the same answer.
 */
import { toUsd } from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Digest, Dollars, idOf } from "@limbeck/core/resources/WireSchemas"
import * as Schema from "effect/Schema"
import type { Plan } from "../run/internal/PlanHash.ts"
import type { Proposal } from "./Proposal.ts"
import type { Preferences } from "./ProposalInput.ts"
import { Stage } from "./Recipe.ts"
import { RunCase } from "./StudentBase.ts"

export const Outcome = Schema.Literals(["deployable_student", "report_only"])

export const Objective = Schema.Literals(["cost", "quality", "latency"])

export const ProposalResource = Schema.Struct({
  object: Schema.Literal("distill_recipe"),
  livemode: Schema.Boolean,
  case: RunCase,
  student_model: Schema.String,
  stages: Schema.Array(Stage),
  rewards: Schema.Array(Schema.String),
  estimate: Schema.Struct({
    gpu_seconds: Schema.Finite,
    cost_usd: Schema.Finite,
    wall_clock_minutes: Schema.Finite,
    assumptions: Schema.Record(Schema.String, Schema.Json)
  }),
  dataset_version: idOf("dsv"),
  objective: Objective,
  outcome: Outcome,
  budget: Schema.Struct({ max_cost_usd: Dollars }),
  compute: Schema.Struct({
    profile: Schema.String,
    machine: Schema.NullOr(Schema.String),
    spot: Schema.Boolean,
    gpu: Schema.NullOr(Schema.String)
  }),
  plan_hash: Digest,
  rationale: Schema.Array(Schema.String)
}).annotate({ identifier: "Proposal" })
export type ProposalResource = typeof ProposalResource.Type

export const render = Rendered.by(
  ProposalResource,
  (
    partition: Partition,
    proposed: {
      readonly datasetVersion: string
      readonly wish: Preferences
      readonly proposal: Proposal
      readonly compute: Plan["compute"]
      readonly planHash: string
    }
  ) => {
    const { compute, datasetVersion, planHash, proposal, wish } = proposed
    return {
      object: "distill_recipe",
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
)
