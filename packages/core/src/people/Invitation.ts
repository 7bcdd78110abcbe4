/** An invitation of an e-mail address to a workspace. Storage keeps only the SHA-256 of the link's secret. */
import * as Schema from "effect/Schema"
import * as Id from "../ids/Id.ts"
import { Limits } from "../Limits.ts"
import * as Kind from "../resources/Kind.ts"
import { Millis } from "../time/Timestamp.ts"
import { Role } from "../workspaces/RoleRules.ts"
import { PersonId } from "./Person.ts"

export const Invitation = Schema.Struct({
  id: Id.schema("inv"),
  workspace: Id.WorkspaceId,
  /** In lower case. */
  email: Schema.String,
  /** Name for a person created by the link; null: the e-mail address. */
  name: Schema.NullOr(Schema.String),
  role: Role,
  invitedBy: PersonId,
  /** Lowercase hex SHA-256 of the link's secret. */
  digest: Schema.String,
  createdAt: Millis
})
export type Invitation = typeof Invitation.Type

export const labelOfWorkspace = (workspace: Id.WorkspaceId): string => `workspace:${workspace}`
export const labelOfAddress = (email: string): string => `email:${email}`
export const labelOfMaker = (person: string): string => `by:${person}`

/** Stored in `Partition.system`, because an address belongs to no workspace. */
export const kind = Kind.make({
  name: "invitation",
  schema: Invitation,
  unique: ({ digest }) => digest,
  labels: ({ email, invitedBy, workspace }) => [
    labelOfWorkspace(workspace),
    labelOfAddress(email),
    labelOfMaker(invitedBy)
  ]
})

export const endsAt = ({ createdAt }: Invitation): Millis => createdAt + Limits.invitationMillis

export const isOpen = (invitation: Invitation, now: Millis): boolean => now < endsAt(invitation)
