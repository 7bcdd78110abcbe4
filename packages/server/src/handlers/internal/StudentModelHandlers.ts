/** The student model routes. */
import { StudentModelsApi } from "@limbeck/api/StudentModelsApi"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as StudentModelResource from "@limbeck/distill/student/StudentModelResource"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"

export const make: Effect.Effect<Handlers<typeof StudentModelsApi>, never, ResourceStore> = Effect.map(
  ResourceStore,
  (store) =>
    handlersOf(StudentModelsApi)({
      list: ({ caller: { partition }, query }) =>
        Lists.page(
          { partition, list: "student_models", query },
          (request) => store.page(partition, StudentModel.kind, [], request),
          (items) => items.map((model) => StudentModelResource.render(partition, model))
        ),
      get: ({ caller: { partition }, params }) =>
        Effect.map(Resources.requireValue(store, partition, StudentModel.kind, params.student_model_id), (found) =>
          StudentModelResource.render(partition, found)
        )
    })
)
