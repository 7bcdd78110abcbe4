/** Proposals, the student catalog and the compute profiles (service-api 2.3, 4.1; contract 5). */

import { Recipe, Stage } from "@limbeck/distill/recipe/Recipe"
import { RunCase } from "@limbeck/distill/recipe/StudentBase"
import { StudentBaseResource as StudentBase } from "@limbeck/distill/recipe/StudentResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Digest, Dollars, idOf, listOf, pageQuery, referenceTo } from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { StudentBase }

export const Outcome = Schema.Literals(["deployable_student", "report_only"])

export const Objective = Schema.Literals(["cost", "quality", "latency"])

export const ProposalRequest = Schema.Struct({
  dataset_version: referenceTo("dsv"),
  objective: Objective,
  max_cost_usd: Dollars,
  rewards: Schema.optionalKey(Recipe.fields.rewards),
  outcome: Schema.optionalKey(Outcome)
}).annotate({ identifier: "ProposalRequest" })

export const Proposal = Schema.Struct({
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

export const ComputeProfile = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("compute_profile"),
  machine: Schema.String,
  gpu: Schema.NullOr(Schema.String),
  spot: Schema.Boolean,
  price_per_gpu_second: Schema.Finite,
  calibration: Schema.NullOr(Schema.JsonObject)
}).annotate({ identifier: "ComputeProfile" })

const read = { access: "distill:read", workflowStage: "plan" } as const

export class RecipesApi extends HttpApiGroup.make("recipes")
  .add(
    HttpApiEndpoint.post("propose", "/v1/distill/recipes/propose", {
      payload: ProposalRequest,
      success: Proposal,
      error: writeErrors
    }).annotateMerge(
      operation("proposeRecipe", "Propose a recipe from a version's rows; starts no compute", {
        ...read,
        idempotency: "supported",
        prerequisites: ["a ready dataset version with rows"]
      })
    )
  )
  .add(
    HttpApiEndpoint.get("students", "/v1/distill/student_catalog", {
      query: pageQuery,
      success: listOf(StudentBase),
      error: readErrors
    }).annotateMerge(operation("listStudentBases", "Base models that a student can be made of", read))
  )
  .add(
    HttpApiEndpoint.get("profiles", "/v1/distill/compute_profiles", {
      query: pageQuery,
      success: listOf(ComputeProfile),
      error: readErrors
    }).annotateMerge(operation("listComputeProfiles", "What a run is computed on, and its price", read))
  )
  .annotateMerge(about("Proposals, and the catalogs that they choose from.")) {}
