/** The rules of a person's fields. Pure; a refusal names the field as the API does. */
import * as Result from "effect/Result"
import { type InvalidInput, invalid } from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import { Limits } from "../Limits.ts"
import * as Characters from "../text/Characters.ts"
import type { Role } from "../workspaces/RoleRules.ts"
import type { Person } from "./Person.ts"

/** Addresses that differ only in case belong to one person. */
export const email = (text: string): Result.Result<string, InvalidInput> => {
  const address = text.trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(address) && address.length <= Limits.emailMax
    ? Result.succeed(address)
    : Result.fail(invalid("email", `An e-mail address has at most ${Limits.emailMax} characters, with one @ within`))
}

export const isAddressOf = (person: Person, text: string): boolean => text.trim().toLowerCase() === person.email

export const name = (text: string): Result.Result<string, InvalidInput> =>
  text.trim() !== "" && Characters.areAtMost(text, Limits.workspaceNameMax)
    ? Result.succeed(text)
    : Result.fail(invalid("name", `A name has 1 to ${Limits.workspaceNameMax} characters, and not only spaces`))

/** The roles with this one in the workspace, or with none there. */
export const withRole = (
  roles: Person["roles"],
  workspace: WorkspaceId,
  role: Role | null
): Result.Result<Person["roles"], InvalidInput> => {
  const others = roles.filter((held) => held.workspace !== workspace)
  if (role === null) return Result.succeed(others)
  return others.length < Limits.personWorkspacesMax
    ? Result.succeed([...others, { workspace, role }])
    : Result.fail(invalid(null, `A person has a role in at most ${Limits.personWorkspacesMax} workspaces`))
}
