/** People and sessions as the API shows them. */
import * as Schema from "effect/Schema"
import type { WorkspaceId } from "../ids/Id.ts"
import * as Rendered from "../resources/Rendered.ts"
import { idOf, Timestamp, UrlShown } from "../resources/WireSchemas.ts"
import { toIso } from "../time/Timestamp.ts"
import { Role } from "../workspaces/RoleRules.ts"
import { endsAt, type Invitation } from "./Invitation.ts"
import { type Person, roleIn } from "./Person.ts"

export const PersonResource = Schema.Struct({
  id: idOf("usr"),
  object: Schema.Literal("person"),
  email: Schema.NullOr(Schema.String),
  name: Schema.String,
  /** In this workspace. */
  role: Schema.NullOr(Role),
  status: Schema.Literal("active"),
  created_at: Timestamp,
  updated_at: Timestamp
}).annotate({ identifier: "Person" })

/** Has the same members whether or not a person with the address exists. */
export const InvitationResource = Schema.Struct({
  id: idOf("inv"),
  object: Schema.Literal("invitation"),
  email: Schema.String,
  name: Schema.NullOr(Schema.String),
  role: Role,
  status: Schema.Literal("invited"),
  created_at: Timestamp,
  expires_at: Timestamp
}).annotate({ identifier: "Invitation" })

/** `url`: the link for the invited person, returned once. */
export const InvitationWithLinkResource = Schema.Struct({ ...InvitationResource.fields, url: UrlShown }).annotate({
  identifier: "InvitationWithLink"
})

/** A person as other members of the workspace see them: with the role there, without other workspaces. */
export const render = Rendered.by(PersonResource, (person: Person, workspace: WorkspaceId) => ({
  id: person.id,
  object: "person",
  email: person.email,
  name: person.name,
  role: roleIn(person, workspace) ?? null,
  status: "active" as const,
  created_at: toIso(person.createdAt),
  updated_at: toIso(person.updatedAt)
}))

/** An invitation in the API for owners. Contains nothing about an existing person with the address. */
export const renderInvitation = Rendered.by(InvitationResource, (invitation: Invitation) => ({
  id: invitation.id,
  object: "invitation",
  email: invitation.email,
  name: invitation.name,
  role: invitation.role,
  status: "invited" as const,
  created_at: toIso(invitation.createdAt),
  expires_at: toIso(endsAt(invitation))
}))

/** A person as they see themselves. */
export const renderSelf = ({ email, id, name }: Person) => ({ id, object: "person" as const, email, name })
