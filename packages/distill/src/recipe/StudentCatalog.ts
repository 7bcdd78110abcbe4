/** The students and compute profiles that this host offers. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as ComputeProfile from "./ComputeProfile.ts"
import * as StudentBase from "./StudentBase.ts"

export class StudentCatalog extends Context.Service<
  StudentCatalog,
  {
    readonly students: ReadonlyArray<StudentBase.StudentBase>
    readonly profiles: ReadonlyArray<ComputeProfile.ComputeProfile>
    readonly findStudent: (id: string) => Result.Result<StudentBase.StudentBase, InvalidInput>
    readonly findProfile: (id: string) => Result.Result<ComputeProfile.ComputeProfile, InvalidInput>
  }
>()("@limbeck/distill/recipe/StudentCatalog") {}

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
    readonly students?: ReadonlyArray<StudentBase.StudentBase>
    readonly profiles?: ReadonlyArray<ComputeProfile.ComputeProfile>
  } = {}
): Layer.Layer<StudentCatalog> => {
  const students = options.students ?? StudentBase.standard
  const profiles = options.profiles ?? ComputeProfile.standard
  return Layer.succeed(StudentCatalog, {
    students,
    profiles,
    findStudent: pick(students, "student model", "recipe.student_model"),
    findProfile: pick(profiles, "compute profile", "compute.profile")
  })
}
