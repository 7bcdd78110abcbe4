/** What a recipe may name as its student: a base of the catalog, or a student that was trained elsewhere (contract 15.16). */
import { type InvalidInput, invalid, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { StudentBase } from "../../recipe/StudentBase.ts"
import { StudentCatalog } from "../../recipe/StudentCatalog.ts"
import * as StudentModel from "../StudentModel.ts"

const param = "recipe.student_model"

/** It takes an evaluation alone: it was trained already, and is published by being registered. */
const external = ({ base, id }: StudentModel.StudentModel, served: StudentModel.StudentEndpoint): StudentBase => ({
  id,
  engine: "llm",
  parameters: null,
  contextLength: 1_048_576,
  stages: ["eval"],
  cases: [],
  license: base,
  served
})

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const catalog = yield* StudentCatalog

  return Effect.fnUntraced(function* (
    partition: Partition,
    name: string
  ): Effect.fn.Return<StudentBase, InvalidInput | StorageError> {
    const found = StudentModel.isId(name)
      ? Option.getOrUndefined(yield* resources.find(partition, StudentModel.kind, name))?.value
      : undefined
    if (found === undefined) return yield* Effect.fromResult(catalog.findStudent(name))
    if (found.origin === "run") {
      return yield* invalid(param, `${name} was evaluated by its run: a recipe names its base, ${found.base}`)
    }
    if (found.endpoint === null) return yield* invalid(param, `${name} was registered without an endpoint to ask it at`)
    return external(found, found.endpoint)
  })
})
