/** Proposals, the student catalog and the compute profiles (service-api 2.3, 4.1; contract 5). */

import { ComputeProfileResource as ComputeProfile } from "@limbeck/distill/recipe/ComputeProfileResource"
import { Objective, Outcome, ProposalResource as Proposal } from "@limbeck/distill/recipe/ProposalResource"
import { Recipe } from "@limbeck/distill/recipe/Recipe"
import { StudentBaseResource as StudentBase } from "@limbeck/distill/recipe/StudentResource"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Dollars, listOf, pageQuery, referenceTo } from "../contract/Common.ts"
import { about, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { ComputeProfile, Objective, Outcome, Proposal, StudentBase }

export const ProposalRequest = Schema.Struct({
  dataset_version: referenceTo("dsv"),
  objective: Objective,
  max_cost_usd: Dollars,
  rewards: Schema.optionalKey(Recipe.fields.rewards),
  outcome: Schema.optionalKey(Outcome)
}).annotate({ identifier: "ProposalRequest" })

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
    }).annotateMerge(operation("listStudentBases", "Base models for students", read))
  )
  .add(
    HttpApiEndpoint.get("profiles", "/v1/distill/compute_profiles", {
      query: pageQuery,
      success: listOf(ComputeProfile),
      error: readErrors
    }).annotateMerge(operation("listComputeProfiles", "Compute profiles for runs, with prices", read))
  )
  .annotateMerge(about("Proposals, and the catalogs that they choose from.")) {}
