/** A person: may sign in, and has roles in workspaces. */
import * as Schema from "effect/Schema"
import * as Id from "../ids/Id.ts"
import * as Kind from "../resources/Kind.ts"
import { Millis } from "../time/Timestamp.ts"
import { Role } from "../workspaces/RoleRules.ts"

export const PersonId = Id.schema("usr")
export type PersonId = typeof PersonId.Type

export const Person = Schema.Struct({
  id: PersonId,
  /** In lower case, and of no other person; null: a host knows the person by their id. */
  email: Schema.NullOr(Schema.String),
  /** For other people to read. */
  name: Schema.String,
  /** One of each workspace at most. */
  roles: Schema.Array(Schema.Struct({ workspace: Id.WorkspaceId, role: Role })),
  createdAt: Millis,
  updatedAt: Millis,
  /**
   * The workspace whose invitation link created the person. Its owner may have opened the link, so the address is unproven for
   * other workspaces. Absent: the operator or a host vouches for the address.
   */
  vouchedBy: Schema.optionalKey(Id.WorkspaceId)
})
export type Person = typeof Person.Type

/** Rung (`Queue.nudge`) when somebody's roles have changed, or a session has ended. */
export const bell = "people"

export const labelOf = (workspace: Id.WorkspaceId): string => `workspace:${workspace}`

/** People live in `Partition.system`. */
export const kind = Kind.make({
  name: "person",
  schema: Person,
  unique: ({ email }) => email,
  labels: ({ roles }) => roles.map(({ workspace }) => labelOf(workspace))
})

export const roleIn = ({ roles }: Person, workspace: Id.WorkspaceId): Role | undefined =>
  roles.find((held) => held.workspace === workspace)?.role
