/** The people of a workspace, for its owners (contract 15.17). The routes are internal: the document does not show them. */

import { Limits } from "@limbeck/core/Limits"
import {
  InvitationResource as Invitation,
  InvitationWithLinkResource as InvitationWithLink,
  PersonResource as Person
} from "@limbeck/core/people/PersonResource"
import { Role } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { asCreated, idOf, listOf, listQuery, Name, textUpTo } from "../contract/Common.ts"
import { operation, readErrors, writeErrors } from "../contract/Operation.ts"
import { Token } from "./TokensApi.ts"

export { Invitation, InvitationWithLink, Person }

export const InvitationDeleted = Schema.Struct({
  id: idOf("inv"),
  object: Schema.Literal("invitation"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "InvitationDeleted" })

export const PersonCreate = Schema.Struct({
  email: textUpTo(Limits.emailMax),
  name: Schema.optionalKey(Name),
  role: Role
}).annotate({ identifier: "PersonCreate" })

export const PersonUpdate = Schema.Struct({ role: Role }).annotate({ identifier: "PersonUpdate" })

export const PersonDeleted = Schema.Struct({
  id: idOf("usr"),
  object: Schema.Literal("person"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "PersonDeleted" })

const path = "/v1/people"
const one = `${path}/:person_id` as const
const invitations = `${path}/invitations` as const
const params = { person_id: idOf("usr") }
const people = { access: "token", humanOnly: "people" } as const
/** Tokens beyond the new role: `end` (default) disables the tokens, `keep` hands the tokens to the caller. */
const query = { tokens: Schema.optionalKey(Schema.Literals(["end", "keep"])) }

export class PeopleApi extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("list", path, { query: listQuery, success: listOf(Person), error: readErrors }).annotateMerge(
      operation("listPeople", "Who has a role in the workspace, the newest first", people)
    )
  )
  .add(
    HttpApiEndpoint.post("add", path, {
      payload: PersonCreate,
      success: asCreated(InvitationWithLink),
      error: writeErrors
    }).annotateMerge(
      operation("addPerson", "Invite an e-mail address to the workspace", {
        ...people,
        idempotency: "supported",
        secret: true
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listInvitations", invitations, {
      query: listQuery,
      success: listOf(Invitation),
      error: readErrors
    }).annotateMerge(operation("listInvitations", "Open invitations to the workspace, the newest first", people))
  )
  .add(
    HttpApiEndpoint.delete("withdraw", `${invitations}/:invitation_id`, {
      params: { invitation_id: idOf("inv") },
      success: InvitationDeleted,
      error: writeErrors
    }).annotateMerge(operation("withdrawInvitation", "Withdraw an invitation", people))
  )
  .add(
    HttpApiEndpoint.get("tokens", `${one}/tokens`, { params, success: listOf(Token), error: readErrors }).annotateMerge(
      operation("listTokensOfPerson", "Active tokens of both modes that end with somebody's role", people)
    )
  )
  .add(
    HttpApiEndpoint.patch("update", one, {
      params,
      query,
      payload: PersonUpdate,
      success: Person,
      error: writeErrors
    }).annotateMerge(operation("updatePerson", "Change somebody's role in the workspace", people))
  )
  .add(
    HttpApiEndpoint.delete("remove", one, { params, query, success: PersonDeleted, error: writeErrors }).annotateMerge(
      operation("removePerson", "Take somebody's role in the workspace away", people)
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
