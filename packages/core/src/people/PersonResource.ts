/** People and sessions as the API shows them. */
import type { WorkspaceId } from "../ids/Id.ts"
import { toIso } from "../time/Timestamp.ts"
import { type Person, roleIn } from "./Person.ts"

/** A person as others of the workspace see them: with the role there, and no word of other workspaces. */
export const render = (person: Person, workspace: WorkspaceId) => ({
  id: person.id,
  object: "person" as const,
  email: person.email,
  name: person.name,
  role: roleIn(person, workspace) ?? null,
  created_at: toIso(person.createdAt),
  updated_at: toIso(person.updatedAt)
})

/** A person as they see themselves. */
export const renderSelf = ({ email, id, name }: Person) => ({ id, object: "person" as const, email, name })
