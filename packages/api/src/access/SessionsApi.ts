/** People sign in and out (contract 15.17). The routes are internal: the document does not show them (contract 12). */
import { invitationFields, SessionResource as Session } from "@limbeck/core/people/SessionResource"
import { Role } from "@limbeck/core/workspaces/RoleRules"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { asCreated, idOf, Timestamp, textUpTo } from "../contract/Common.ts"
import { Limits } from "../contract/Limits.ts"
import { at, operation, readErrors, writeErrors } from "../contract/Operation.ts"

export { Session }

/** Exactly one of `link`, the text behind `#/sign-in/` in the URL, and `invitation`, the text behind `#/invitation/`. */
export const SignIn = Schema.Struct({
  link: Schema.optionalKey(textUpTo(Limits.signInLinkMax)),
  invitation: Schema.optionalKey(textUpTo(Limits.signInLinkMax))
}).annotate({ identifier: "SignIn" })

/** Describes a link without using it up: the person of a sign-in link, or the workspace and role of an invitation. */
export const LinkPreview = Schema.Union([
  Schema.Struct({
    object: Schema.Literal("sign_in_link"),
    person: Schema.Struct({ email: Schema.NullOr(Schema.String), name: Schema.String }),
    expires_at: Timestamp
  }),
  Schema.Struct({
    object: Schema.Literal("invitation"),
    id: idOf("inv"),
    email: Schema.String,
    workspace: Schema.Struct({ id: idOf("ws"), name: Schema.String }),
    role: Role,
    expires_at: Timestamp
  })
]).annotate({ identifier: "LinkPreview" })

/** `link`: the secret of the invitation's link; required if a link of another workspace created the person. */
export const InvitationAccept = Schema.Struct({
  link: Schema.optionalKey(textUpTo(Limits.signInLinkMax))
}).annotate({ identifier: "InvitationAccept" })

export const InvitationSettled = Schema.Struct({
  ...invitationFields,
  object: Schema.Literal("invitation"),
  status: Schema.Literals(["accepted", "declined"])
}).annotate({ identifier: "InvitationSettled" })

export const SessionEnded = Schema.Struct({
  id: idOf("ses"),
  object: Schema.Literal("session"),
  deleted: Schema.Literal(true)
}).annotate({ identifier: "SessionEnded" })

const path = "/v1/session"
const publicErrors = [at(400), at(401), at(403), at(408), at(413), at(415), at(429), at(500), at(503)] as const
const oneInvitation = `${path}/invitations/:invitation_id` as const
const invitationParams = { invitation_id: idOf("inv") }

export class SessionsApi extends HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.post("create", "/v1/sessions", {
      payload: SignIn,
      success: asCreated(Session),
      error: publicErrors
    }).annotateMerge(operation("createSession", "Sign in with a link, which is used up", { access: "public" }))
  )
  .add(
    HttpApiEndpoint.post("preview", "/v1/sessions/preview", {
      payload: SignIn,
      success: LinkPreview,
      error: publicErrors
    }).annotateMerge(operation("previewLink", "Describe a link without using it up", { access: "public" }))
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
  .add(
    HttpApiEndpoint.post("accept", `${oneInvitation}/accept`, {
      params: invitationParams,
      payload: InvitationAccept,
      success: InvitationSettled,
      error: writeErrors
    }).annotateMerge(
      operation("acceptInvitation", "Take the role of an invitation", {
        access: "token",
        humanOnly: "session",
        bodyOptional: true
      })
    )
  )
  .add(
    HttpApiEndpoint.post("decline", `${oneInvitation}/decline`, {
      params: invitationParams,
      success: InvitationSettled,
      error: writeErrors
    }).annotateMerge(operation("declineInvitation", "Decline an invitation", { access: "token", humanOnly: "session" }))
  )
  .annotateMerge(OpenApi.annotations({ exclude: true })) {}
