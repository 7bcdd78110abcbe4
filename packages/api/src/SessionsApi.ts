/** People sign in and out (contract 15.17). The routes are internal: the document does not show them (contract 12). */
import { Role } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { created, idOf, Timestamp, textUpTo } from "./Common.ts"
import { Limits } from "./Limits.ts"
import { at, operation, readErrors, writeErrors } from "./Operation.ts"

/** `link`: what stands behind `#/sign-in/` in the link. */
export const SignIn = Schema.Struct({ link: textUpTo(Limits.signInLinkMax) }).annotate({ identifier: "SignIn" })

export const Session = Schema.Struct({
  id: idOf("ses"),
  object: Schema.Literal("session"),
  person: Schema.Struct({
    id: idOf("usr"),
    object: Schema.Literal("person"),
    email: Schema.NullOr(Schema.String),
    name: Schema.String
  }),
  /** The workspaces that the person has a role in; a request names one of them in `Service-Workspace`. */
  workspaces: Schema.Array(Schema.Struct({ id: idOf("ws"), name: Schema.String, plan: Schema.String, role: Role })),
  /** Goes with each request that is no GET, as `X-CSRF-Token`. */
  csrf_token: Schema.String,
  created_at: Timestamp,
  /** At the latest: without a request it ends after 12 hours. */
  expires_at: Timestamp
}).annotate({ identifier: "Session" })

export const SessionEnded = Schema.Struct({
  id: idOf("ses"),
  object: Schema.Literal("session"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "SessionEnded" })

const path = "/v1/session"

export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.post("create", "/v1/sessions", {
      payload: SignIn,
      success: created(Session),
      error: [at(400), at(401), at(403), at(408), at(413), at(415), at(429), at(500), at(503)]
    }).annotateMerge(operation("createSession", "Sign in with a link, which is used up", { access: "public" }))
  )
  .add(
    HttpApiEndpoint.get("read", path, { success: Session, error: readErrors }).annotateMerge(
      operation("getSession", "Who is signed in, and where", { access: "token", humanOnly: "session" })
    )
  )
  .add(
    HttpApiEndpoint.delete("end", path, { success: SessionEnded, error: writeErrors }).annotateMerge(
      operation("deleteSession", "Sign out", { access: "token", humanOnly: "session" })
    )
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
