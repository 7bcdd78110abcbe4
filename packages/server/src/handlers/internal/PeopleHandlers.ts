/** The people of a workspace, for its owners (contract 15.17, 16.42, 16.43). */
import { PeopleApi, type PersonCreate } from "@limbeck/api/PeopleApi"
import { notFound, PermissionDenied } from "@limbeck/core/errors/Errors"
import { Invitations } from "@limbeck/core/people/Invitations"
import { People } from "@limbeck/core/people/People"
import { isAddressOf } from "@limbeck/core/people/PeopleRules"
import * as Person from "@limbeck/core/people/Person"
import * as PersonResource from "@limbeck/core/people/PersonResource"
import * as Caller from "@limbeck/core/tokens/Caller"
import { MemberTokens } from "@limbeck/core/tokens/MemberTokens"
import * as TokenResource from "@limbeck/core/tokens/TokenResource"
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { type Handlers, handlersOf } from "../../http/internal/Routes.ts"
import * as SignedIn from "../../http/internal/SignedIn.ts"
import { ServerSettings } from "../../Settings.ts"

const ownRole = new PermissionDenied({
  message: "Your own role is changed by another owner, or by the operator of the server",
  param: null
})

type Services = People | Invitations | MemberTokens

export const make: Effect.Effect<Handlers<typeof PeopleApi>, never, Services> = Effect.gen(function* () {
  const people = yield* People
  const invitations = yield* Invitations
  const memberTokens = yield* MemberTokens
  const { publicUrl } = yield* ServerSettings

  /** Somebody who has a role in the workspace. */
  const member = Effect.fnUntraced(function* ({ partition }: Caller.Caller, id: string) {
    const found = yield* people.find(id)
    return Person.roleIn(found, partition.workspace) === undefined ? yield* notFound(Person.kind.noun, id) : found
  })

  const setRole = Effect.fnUntraced(function* (
    caller: Caller.Caller,
    id: string,
    role: Role | null,
    tokens: "end" | "keep" = "end"
  ) {
    const { person } = yield* SignedIn.of(caller)
    const { workspace } = caller.partition
    const keeper = tokens === "keep" ? Caller.makerOf(caller) : null
    const change = Effect.gen(function* () {
      const other = yield* member(caller, id)
      return other.id === person.id ? yield* ownRole : yield* people.setRole(other.id, workspace, role, keeper)
    })
    return yield* people.asOwner(person.id, workspace)(change)
  })

  const invite = Effect.fnUntraced(function* (caller: Caller.Caller, payload: typeof PersonCreate.Type) {
    const { partition, person } = yield* SignedIn.of(caller)
    if (isAddressOf(person, payload.email)) return yield* ownRole
    const { invitation, secret } = yield* invitations.invite(person, partition.workspace, payload)
    return { ...PersonResource.renderInvitation(invitation), url: `${publicUrl}/#/invitation/${secret}` }
  })

  const withdraw = Effect.fnUntraced(function* (caller: Caller.Caller, id: string) {
    const { partition, person } = yield* SignedIn.of(caller)
    yield* invitations.withdraw(person, partition.workspace, id)
    return { id, object: "invitation" as const, deleted: true as const }
  })

  const tokensOf = Effect.fnUntraced(function* (caller: Caller.Caller, id: string) {
    const now = yield* Clock.currentTimeMillis
    const tokens = yield* memberTokens.list(caller.partition.workspace, (yield* member(caller, id)).id)
    const data = tokens.map(({ partition, token }) => TokenResource.render(partition, token, now))
    return { data, has_more: false, next_cursor: null }
  })

  return handlersOf(PeopleApi)({
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "people", query },
        (request) => people.page(partition.workspace, request),
        (items) => items.map((person) => PersonResource.render(person, partition.workspace))
      ),
    add: ({ caller, payload }) => invite(caller, payload),
    listInvitations: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "invitations", query },
        (request) => invitations.page(partition.workspace, request),
        (items) => items.map(PersonResource.renderInvitation)
      ),
    withdraw: ({ caller, params }) => withdraw(caller, params.invitation_id),
    tokens: ({ caller, params }) => tokensOf(caller, params.person_id),
    update: ({ caller, params, payload: { role }, query }) =>
      Effect.map(setRole(caller, params.person_id, role, query.tokens), (person) =>
        PersonResource.render(person, caller.partition.workspace)
      ),
    remove: ({ caller, params, query }) =>
      Effect.map(setRole(caller, params.person_id, null, query.tokens), ({ id }) => ({
        id,
        object: "person" as const,
        deleted: true as const
      }))
  })
})
