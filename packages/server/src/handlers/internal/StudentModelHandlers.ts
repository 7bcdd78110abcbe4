/** The student model routes. */
import { type StudentModelCreate, StudentModelsApi } from "@limbeck/api/StudentModelsApi"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import { ExternalStudents } from "@limbeck/distill/student/ExternalStudents"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as StudentModelResource from "@limbeck/distill/student/StudentModelResource"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

const endpointOf = ({ endpoint }: typeof StudentModelCreate.Type) =>
  endpoint === undefined || endpoint === null
    ? null
    : {
        baseUrl: endpoint.base_url,
        model: endpoint.model,
        apiKey: endpoint.api_key ?? null,
        inputPerMillion: endpoint.input_per_million ?? null,
        outputPerMillion: endpoint.output_per_million ?? null
      }

export const make = Effect.gen(function* () {
  const store = yield* ResourceStore
  const external = yield* ExternalStudents

  return handlersOf(StudentModelsApi)({
    create: ({ caller: { partition }, payload }) => {
      const { artifact = null, base_model: baseModel, name, run = null } = payload
      const request = { name, baseModel, endpoint: endpointOf(payload), artifact, run }
      return Effect.map(external.register(partition, request), (model) => StudentModelResource.render(partition, model))
    },
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
})
