/** The possible students of a recipe: a base of the catalog, or a student trained elsewhere (contract 15.16). */
import { type InvalidInput, invalid, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { noStudent } from "../../recipe/Recipe.ts"
import type { StudentBase } from "../../recipe/StudentBase.ts"
import { StudentCatalog } from "../../recipe/StudentCatalog.ts"
import { ModelServers } from "../ModelServers.ts"
import * as StudentModel from "../StudentModel.ts"

const param = "recipe.student_model"

/** Supports an evaluation alone: an external student is already trained, and registered instead of published. */
const external = ({ base, endpoint, id }: StudentModel.StudentModel): StudentBase => ({
  id,
  engine: "llm",
  parameters: null,
  contextLength: 1_048_576,
  stages: ["eval"],
  cases: [],
  license: base,
  served: endpoint ?? { inputPerMillion: null, outputPerMillion: null }
})

/** In place of a student, for a recipe that evaluates candidates alone. */
const nobody: StudentBase = {
  id: noStudent,
  engine: "llm",
  parameters: null,
  contextLength: 1_048_576,
  stages: ["eval"],
  cases: [],
  license: "",
  served: { inputPerMillion: null, outputPerMillion: null }
}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const catalog = yield* StudentCatalog
  const servers = yield* ModelServers

  /** Why it cannot be evaluated; null: it can. */
  const unasked = ({ artifact, endpoint, id }: StudentModel.StudentModel): string | null => {
    if (endpoint !== null) return null
    if (artifact === null) return `${id} was registered without an endpoint to ask it at, and without an artifact`
    return servers.isSetUp ? null : `${id} has an artifact, which this server cannot serve: SERVING_COMMAND is not set`
  }

  return Effect.fnUntraced(function* (
    partition: Partition,
    name: string
  ): Effect.fn.Return<StudentBase, InvalidInput | StorageError> {
    if (name === noStudent) return nobody
    const found = StudentModel.isId(name)
      ? Option.getOrUndefined(yield* resources.find(partition, StudentModel.kind, name))?.value
      : undefined
    if (found === undefined) return yield* Effect.fromResult(catalog.findStudent(name))
    if (found.origin === "run") {
      return yield* invalid(param, `${name} was evaluated by its run: a recipe names its base, ${found.base}`)
    }
    const fault = unasked(found)
    return fault === null ? external(found) : yield* invalid(param, fault)
  })
})
