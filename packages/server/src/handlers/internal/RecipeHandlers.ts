/** Proposals and what they choose from (contract 5). */
import { RecipesApi } from "@limbeck/api/RecipesApi"
import { Proposals } from "@limbeck/distill/recipe/Proposals"
import { StudentCatalog } from "@limbeck/distill/recipe/StudentCatalog"
import * as StudentResource from "@limbeck/distill/recipe/StudentResource"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

export const make = Effect.gen(function* () {
  const proposals = yield* Proposals
  const catalog = yield* StudentCatalog

  return handlersOf(RecipesApi)({
    propose: ({ caller: { partition }, payload }) =>
      proposals.propose(partition, {
        datasetVersion: payload.dataset_version,
        objective: payload.objective,
        maxCostUsd: payload.max_cost_usd,
        rewards: payload.rewards ?? [],
        outcome: payload.outcome
      }),
    students: ({ caller: { partition }, query }) =>
      Lists.part(
        { partition, list: "student_catalog", query },
        catalog.students.map(StudentResource.render),
        ({ id }) => id
      ),
    profiles: ({ caller: { partition }, query }) =>
      Effect.flatMap(proposals.profiles(partition), (profiles) =>
        Lists.part({ partition, list: "compute_profiles", query }, profiles, ({ id }) => id)
      )
  })
})
