/** People and sessions as the API shows them. */
import type { WorkspaceId } from "../ids/Id.ts"
import { toIso } from "../time/Timestamp.ts"
import { endsAt, type Invitation } from "./Invitation.ts"
import { type Person, roleIn } from "./Person.ts"

/** A person as others of the workspace see them: with the role there, and no word of other workspaces. */
export const render = (person: Person, workspace: WorkspaceId) => ({
  id: person.id,
  object: "person" as const,
  email: person.email,
  name: person.name,
  role: roleIn(person, workspace) ?? null,
  status: "active" as const,
  created_at: toIso(person.createdAt),
  updated_at: toIso(person.updatedAt)
})

/** An invitation in the API for owners. Contains nothing about an existing person with the address. */
export const renderInvitation = (invitation: Invitation) => ({
  id: invitation.id,
  object: "invitation" as const,
  email: invitation.email,
  name: invitation.name,
  role: invitation.role,
  status: "invited" as const,
  created_at: toIso(invitation.createdAt),
  expires_at: toIso(endsAt(invitation))
})

/** A person as they see themselves. */
export const renderSelf = ({ email, id, name }: Person) => ({ id, object: "person" as const, email, name })
