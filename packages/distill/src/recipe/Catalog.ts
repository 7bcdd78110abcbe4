/** The students and compute profiles that this host offers. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ComputeProfile from "./ComputeProfile.ts"
import * as StudentCatalog from "./StudentCatalog.ts"

export class Catalog extends Context.Service<
  Catalog,
  {
    readonly students: ReadonlyArray<StudentCatalog.StudentBase>
    readonly profiles: ReadonlyArray<ComputeProfile.ComputeProfile>
    readonly findStudent: (id: string) => Result.Result<StudentCatalog.StudentBase, InvalidInput>
    readonly findProfile: (id: string) => Result.Result<ComputeProfile.ComputeProfile, InvalidInput>
  }
>()("@limbeck/distill/recipe/Catalog") {}

const pick =
  <A extends { readonly id: string }>(entries: ReadonlyArray<A>, what: string, param: string) =>
  (id: string) => {
    const found = entries.find((entry) => entry.id === id)
    return found === undefined
      ? Result.fail(invalid(param, `Unknown ${what} ${JSON.stringify(id)}`))
      : Result.succeed(found)
  }

export const layer = (
  options: {
    readonly students?: ReadonlyArray<StudentCatalog.StudentBase>
    readonly profiles?: ReadonlyArray<ComputeProfile.ComputeProfile>
  } = {}
): Layer.Layer<Catalog> => {
  const students = options.students ?? StudentCatalog.standard
  const profiles = options.profiles ?? ComputeProfile.standard
  return Layer.succeed(Catalog, {
    students,
    profiles,
    findStudent: pick(students, "student model", "recipe.student_model"),
    findProfile: pick(profiles, "compute profile", "compute.profile")
  })
}
