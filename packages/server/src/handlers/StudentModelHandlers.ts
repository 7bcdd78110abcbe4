/** The student model routes. */
import { notFound } from "@limbeck/core/errors/Errors"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as StudentModel from "@limbeck/distill/student/StudentModel"
import * as StudentModelResource from "@limbeck/distill/student/StudentModelResource"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Lists from "../http/Lists.ts"
import { type Handlers, handlersOf } from "../http/Routes.ts"

export const make: Effect.Effect<Handlers<"student_models">, never, ResourceStore> = Effect.map(
  ResourceStore,
  (store) =>
    handlersOf("student_models")({
      list: ({ caller: { partition }, query }) =>
        Lists.page(
          { partition, list: "student_models", query },
          (request) => store.page(partition, StudentModel.kind, [], request),
          (items) => items.map((model) => StudentModelResource.render(partition, model))
        ),
      get: ({ caller: { partition }, params }) =>
        Effect.flatMap(
          store.find(partition, StudentModel.kind, params.student_model_id),
          Option.match({
            onNone: () => Effect.fail(notFound("student model", params.student_model_id)),
            onSome: ({ value }) => Effect.succeed(StudentModelResource.render(partition, value))
          })
        )
    })
)
