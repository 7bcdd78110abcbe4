/** The session of a signed-in person as the API shows it (contract 15.17). */
import * as Schema from "effect/Schema"
import * as Rendered from "../resources/Rendered.ts"
import { idOf, Timestamp } from "../resources/WireSchemas.ts"
import { toIso } from "../time/Timestamp.ts"
import type { Workspace } from "../workspaces/internal/Workspace.ts"
import { Role } from "../workspaces/RoleRules.ts"
import type { Person } from "./Person.ts"
import { renderSelf } from "./PersonResource.ts"
import { endsAt, type Session } from "./Session.ts"

/** An invitation as its person sees it. */
export const invitationFields = {
  id: idOf("inv"),
  workspace: Schema.Struct({ id: idOf("ws"), name: Schema.String }),
  role: Role
}
const invitation = Schema.Struct(invitationFields)

export const SessionResource = Schema.Struct({
  id: idOf("ses"),
  object: Schema.Literal("session"),
  person: Schema.Struct({
    id: idOf("usr"),
    object: Schema.Literal("person"),
    email: Schema.NullOr(Schema.String),
    name: Schema.String
  }),
  /** The person's workspaces with their roles; requests name a workspace in `Service-Workspace`. */
  workspaces: Schema.Array(Schema.Struct({ id: idOf("ws"), name: Schema.String, plan: Schema.String, role: Role })),
  /** Open invitations of the person's address, the newest first. */
  invitations: Schema.Array(invitation),
  /** Required with each request other than GET, as `X-CSRF-Token`. */
  csrf_token: Schema.String,
  created_at: Timestamp,
  /** At the latest: without a request it ends after 12 hours. */
  expires_at: Timestamp
}).annotate({ identifier: "Session" })

interface SessionView {
  readonly person: Person
  readonly session: Session
  readonly csrf: string
  /** Those in which the person has a role. */
  readonly workspaces: ReadonlyArray<Pick<Workspace, "id" | "name" | "plan">>
  readonly invitations: ReadonlyArray<typeof invitation.Type>
}

export const render = Rendered.by(
  SessionResource,
  ({ csrf, invitations, person, session, workspaces }: SessionView) => {
    const roles = new Map(person.roles.map(({ role, workspace }) => [workspace, role]))
    return {
      id: session.id,
      object: "session",
      person: renderSelf(person),
      workspaces: workspaces.flatMap(({ id, name, plan }) => {
        const role = roles.get(id)
        return role === undefined ? [] : [{ id, name, plan, role }]
      }),
      invitations,
      csrf_token: csrf,
      created_at: toIso(session.createdAt),
      expires_at: toIso(endsAt(session))
    }
  }
)
