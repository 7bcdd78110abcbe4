/** The people of a workspace, for its owners (contract 15.17). */
import { PeopleApi, type PersonCreate } from "@limbeck/api/PeopleApi"
import { notFound, PermissionDenied } from "@limbeck/core/errors/Errors"
import { People } from "@limbeck/core/people/People"
import { isAddressOf } from "@limbeck/core/people/PeopleRules"
import * as Person from "@limbeck/core/people/Person"
import * as PersonResource from "@limbeck/core/people/PersonResource"
import type { Caller } from "@limbeck/core/tokens/Caller"
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"
import * as SignedIn from "../../http/internal/SignedIn.ts"

const ownRole = new PermissionDenied({
  message: "Your own role is changed by another owner, or by the operator of the server",
  param: null
})

export const make = Effect.map(People, (people) => {
  /** Somebody else who has a role in the workspace. */
  const other = Effect.fnUntraced(function* (caller: Caller, id: string) {
    const { partition, person } = yield* SignedIn.of(caller)
    const found = yield* people.find(id)
    if (Person.roleIn(found, partition.workspace) === undefined) return yield* notFound(Person.kind.noun, id)
    return found.id === person.id ? yield* ownRole : found
  })

  const setRole = Effect.fnUntraced(function* (caller: Caller, id: string, role: Role | null) {
    const { person } = yield* SignedIn.of(caller)
    const { workspace } = caller.partition
    const change = Effect.flatMap(other(caller, id), (found) => people.setRole(found.id, workspace, role))
    return yield* people.asOwner(person.id, workspace)(change)
  })

  const add = Effect.fnUntraced(function* (caller: Caller, payload: typeof PersonCreate.Type) {
    const { partition, person } = yield* SignedIn.of(caller)
    if (isAddressOf(person, payload.email)) return yield* ownRole
    const { workspace } = partition
    const added = yield* people.asOwner(person.id, workspace)(people.add({ ...payload, workspace }))
    return PersonResource.render(added, partition.workspace)
  })

  return handlersOf(PeopleApi)({
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "people", query },
        (request) => people.page(partition.workspace, request),
        (items) => items.map((person) => PersonResource.render(person, partition.workspace))
      ),
    add: ({ caller, payload }) => add(caller, payload),
    update: ({ caller, params, payload: { role } }) =>
      Effect.map(setRole(caller, params.person_id, role), (person) =>
        PersonResource.render(person, caller.partition.workspace)
      ),
    remove: ({ caller, params }) =>
      Effect.map(setRole(caller, params.person_id, null), ({ id }) => ({
        id,
        object: "person" as const,
        deleted: true as const
      }))
  })
})
