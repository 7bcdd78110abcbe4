/** The people of a workspace, for its owners (contract 15.17). The routes are internal: the document does not show them. */
import { Limits } from "@limbeck/core/Limits"
import { Role } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { created, idOf, listOf, listQuery, Name, Timestamp, textUpTo } from "./Common.ts"
import { operation, readErrors, writeErrors } from "./Operation.ts"

export const Person = Schema.Struct({
  id: idOf("usr"),
  object: Schema.Literal("person"),
  email: Schema.NullOr(Schema.String),
  name: Schema.String,
  /** In this workspace. */
  role: Schema.NullOr(Role),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Person" })

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
const params = { person_id: idOf("usr") }
const people = { access: "token", humanOnly: "people" } as const

export class PeopleApi extends HttpApiGroup.make("people")
  .add(
    HttpApiEndpoint.get("list", path, { query: listQuery, success: listOf(Person), error: readErrors }).annotateMerge(
      operation("listPeople", "Who has a role in the workspace, the newest first", people)
    )
  )
  .add(
    HttpApiEndpoint.post("add", path, {
      payload: PersonCreate,
      success: created(Person),
      error: writeErrors
    }).annotateMerge(
      operation("addPerson", "Give somebody a role in the workspace", { ...people, idempotency: "supported" })
    )
  )
  .add(
    HttpApiEndpoint.patch("update", one, {
      params,
      payload: PersonUpdate,
      success: Person,
      error: writeErrors
    }).annotateMerge(operation("updatePerson", "Change somebody's role in the workspace", people))
  )
  .add(
    HttpApiEndpoint.delete("remove", one, { params, success: PersonDeleted, error: writeErrors }).annotateMerge(
      operation("removePerson", "Take somebody's role in the workspace away", people)
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
