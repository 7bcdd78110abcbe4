/** People sign in and out, and settle their invitations (contract 15.17, 16.42). */
import { factsOf } from "@limbeck/api/Operation"
import { InvitationAccept, SessionsApi, SignIn } from "@limbeck/api/SessionsApi"
import { invalid, PermissionDenied } from "@limbeck/core/errors/Errors"
import * as Invitation from "@limbeck/core/people/Invitation"
import { Invitations } from "@limbeck/core/people/Invitations"
import * as SessionResource from "@limbeck/core/people/SessionResource"
import { type SessionOwner, Sessions } from "@limbeck/core/people/Sessions"
import { SignInLinks } from "@limbeck/core/people/SignInLinks"
import { toIso } from "@limbeck/core/time/Timestamp"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as ClientAddress from "../../http/internal/ClientAddress.ts"
import * as Decode from "../../http/internal/Decode.ts"
import { Exchange } from "../../http/internal/Exchange.ts"
import * as Pipeline from "../../http/internal/Pipeline.ts"
import * as RequestVersion from "../../http/internal/RequestVersion.ts"
import { bodyOf, responsesOf } from "../../http/internal/Routes.ts"
import * as SameOrigin from "../../http/internal/SameOrigin.ts"
import * as SessionCookie from "../../http/internal/SessionCookie.ts"
import type * as SignedIn from "../../http/internal/SignedIn.ts"
import { SignInLimit } from "../../http/SignInLimit.ts"
import { ServerSettings } from "../../Settings.ts"

const decodeSignIn = Decode.strict(SignIn)
const decodeAccept = Decode.strict(InvitationAccept)

const { accept, create, decline, end, preview, read } = SessionsApi.endpoints

const alreadyIn = new PermissionDenied({
  message: "You are signed in: accept the invitation in your session, or sign out first",
  param: "invitation"
})

/** The secret and the kind of the link in the body. */
const secretOf = Effect.fnUntraced(function* ({ invitation, link }: typeof SignIn.Type) {
  if (link !== undefined && invitation !== undefined) {
    return yield* invalid("invitation", "Give a link or an invitation, not both")
  }
  const secret = link ?? invitation
  if (secret === undefined) return yield* invalid("link", "Give the secret of a link, or of an invitation")
  return { isInvitation: invitation !== undefined, secret }
})

const rendered = (body: object, status = 200) =>
  Effect.map(RequestVersion.render(body), (shown) => HttpServerResponse.jsonUnsafe(shown, { status }))

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the handlers of one group, each short
export const make = Effect.gen(function* () {
  const links = yield* SignInLinks
  const invitations = yield* Invitations
  const sessions = yield* Sessions
  const workspaces = yield* Workspaces
  const settings = yield* ServerSettings
  const { limit } = yield* SignInLimit

  /** Renders invitations for the invited person, with workspace names. */
  const shownTo = Effect.fnUntraced(function* (open: ReadonlyArray<Invitation.Invitation>) {
    const known = yield* workspaces.getMany(open.map(({ workspace }) => workspace))
    const names = new Map<string, string>(known.map(({ id, name }) => [id, name]))
    return open.map(({ id, role, workspace }) => ({
      id,
      workspace: { id: workspace, name: names.get(workspace) ?? "" },
      role
    }))
  })

  const answer = Effect.fnUntraced(function* ({ csrf, person, session }: SignedIn.Session, status: number) {
    const known = yield* workspaces.getMany(person.roles.map(({ workspace }) => workspace))
    const open = yield* shownTo(yield* invitations.ofPerson(person))
    const shown = SessionResource.render({ csrf, person, session, workspaces: known, invitations: open })
    return yield* rendered(shown, status)
  })

  const log = (event: string, { person, session }: SessionOwner) =>
    Effect.annotateLogs(Effect.logInfo(event), { person: person.id, session: session.id })

  /** Checks the origin and decodes the body of a request with a link. */
  const given = Effect.fnUntraced(function* (request: HttpServerRequest, endpoint: typeof create | typeof preview) {
    const foreign = SameOrigin.refusalOf(request, settings)
    if (foreign !== undefined) return yield* foreign
    yield* RequestVersion.check
    const body = yield* Pipeline.readBody(request, null)
    const json = yield* bodyOf(request, factsOf(endpoint.annotations), body)
    const { headers } = yield* Exchange
    headers["cache-control"] = "no-store"
    const client = ClientAddress.clientOf(Option.getOrElse(request.remoteAddress, () => ""))
    return { client, ...(yield* Effect.flatMap(decodeSignIn(json), secretOf)) }
  })

  /** Refuses a browser with a live session: its person accepts in the session. */
  const admit = Effect.fnUntraced(function* (secret: string, before: string | undefined) {
    if (before !== undefined && Option.isSome(yield* Effect.option(sessions.authenticate(before)))) {
      return yield* alreadyIn
    }
    return yield* invitations.admit(secret)
  })

  const signIn = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const { client, isInvitation, secret } = yield* given(request, create)
    const before = SessionCookie.secretOf(request, settings)
    const attempt = Effect.gen(function* () {
      return isInvitation ? yield* admit(secret, before) : yield* links.use(secret, before)
    })
    const begun = yield* limit(client, secret, attempt)
    yield* log("signed_in", begun)
    const { headers } = yield* Exchange
    headers["set-cookie"] = SessionCookie.setCookie(request, settings, begun.secret)
    return yield* answer({ ...begun, csrf: yield* sessions.csrfOf(begun.secret) }, 201)
  })

  const lookAtLink = Effect.fnUntraced(function* (secret: string) {
    const { expiresAt, person } = yield* links.look(secret)
    const { email, name } = person
    return { object: "sign_in_link" as const, person: { email, name }, expires_at: toIso(expiresAt) }
  })

  const lookAtInvitation = Effect.fnUntraced(function* (secret: string) {
    const invitation = yield* invitations.look(secret)
    const [shown] = yield* shownTo([invitation])
    const expiresAt = Invitation.endsAt(invitation)
    return { object: "invitation" as const, ...shown, email: invitation.email, expires_at: toIso(expiresAt) }
  })

  const look = Effect.gen(function* () {
    const { client, isInvitation, secret } = yield* given(yield* HttpServerRequest, preview)
    const attempt = Effect.gen(function* () {
      return isInvitation ? yield* lookAtInvitation(secret) : yield* lookAtLink(secret)
    })
    return yield* rendered(yield* limit(client, secret, attempt))
  })

  const signOut = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const known = yield* Pipeline.admitPerson(request, factsOf(end.annotations))
    yield* sessions.end(known.session.id)
    yield* log("signed_out", known)
    const { headers } = yield* Exchange
    headers["set-cookie"] = SessionCookie.clearCookie(request, settings)
    return yield* rendered({ id: known.session.id, object: "session" as const, deleted: true as const })
  })

  const settled = Effect.fnUntraced(function* (invitation: Invitation.Invitation, status: "accepted" | "declined") {
    const [shown] = yield* shownTo([invitation])
    return yield* rendered({ ...shown, object: "invitation" as const, status })
  })

  const named = Effect.map(HttpRouter.params, ({ invitation_id = "" }) => invitation_id)

  const acceptInvitation = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const facts = factsOf(accept.annotations)
    const known = yield* Pipeline.admitPerson(request, facts)
    const { link } = yield* decodeAccept(yield* bodyOf(request, facts, yield* Pipeline.readBody(request, null)))
    const invitation = yield* invitations.accept(known.person.id, yield* named, link)
    yield* log("invitation_accepted", known)
    return yield* settled(invitation, "accepted")
  })

  const declineInvitation = Effect.gen(function* () {
    const known = yield* Pipeline.admitPerson(yield* HttpServerRequest, factsOf(decline.annotations))
    const invitation = yield* invitations.decline(known.person, yield* named)
    yield* log("invitation_declined", known)
    return yield* settled(invitation, "declined")
  })

  return responsesOf(SessionsApi)({
    create: signIn,
    preview: look,
    read: Effect.gen(function* () {
      const request = yield* HttpServerRequest
      return yield* answer(yield* Pipeline.admitPerson(request, factsOf(read.annotations)), 200)
    }),
    end: signOut,
    accept: acceptInvitation,
    decline: declineInvitation
  })
})
