/** The caller of a request as `GET /v1/whoami` shows it (service-api 2.2). */
import * as Schema from "effect/Schema"
import * as Rendered from "../resources/Rendered.ts"
import type { Workspace } from "../workspaces/internal/Workspace.ts"
import * as RoleRules from "../workspaces/RoleRules.ts"
import type { Caller } from "./Caller.ts"

export const WhoamiResource = Schema.Struct({
  object: Schema.Literal("whoami"),
  workspace: Schema.Struct({ id: Schema.String, name: Schema.String, plan: Schema.String }),
  credential: Schema.Struct({
    /** `session`: a signed-in person; `name` is theirs, and `environment` follows the request. */
    type: Schema.Literals(["api_token", "session"]),
    id: Schema.String,
    name: Schema.String,
    environment: Schema.Literals(["test", "live"]),
    scopes: Schema.Array(Schema.String),
    /** Of a session. */
    role: Schema.optionalKey(RoleRules.Role)
  }),
  livemode: Schema.Boolean,
  api_version: Schema.String
}).annotate({ identifier: "Whoami" })

const credentialOf = (caller: Caller) =>
  caller.token === undefined
    ? {
        type: "session" as const,
        id: caller.session.id,
        name: caller.person.name,
        scopes: RoleRules.scopesOf(caller.role),
        role: caller.role
      }
    : { type: "api_token" as const, id: caller.token.id, name: caller.token.name, scopes: caller.token.scopes }

export const render = Rendered.by(
  WhoamiResource,
  (caller: Caller, { id, name, plan }: Pick<Workspace, "id" | "name" | "plan">, version: string) => ({
    object: "whoami",
    workspace: { id, name, plan },
    credential: {
      ...credentialOf(caller),
      environment: caller.partition.livemode ? ("live" as const) : ("test" as const)
    },
    livemode: caller.partition.livemode,
    api_version: version
  })
)
