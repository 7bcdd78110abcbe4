/** People sign in and out (contract 15.17). */
import { factsOf } from "@limbeck/api/Operation"
import { SessionsApi, SignIn } from "@limbeck/api/SessionsApi"
import * as PersonResource from "@limbeck/core/people/PersonResource"
import * as Session from "@limbeck/core/people/Session"
import { type Known, Sessions } from "@limbeck/core/people/Sessions"
import { SignInLinks } from "@limbeck/core/people/SignInLinks"
import { toIso } from "@limbeck/core/time/Timestamp"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as Effect from "effect/Effect"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
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

const { create, end, read } = SessionsApi.endpoints

export const make = Effect.gen(function* () {
  const links = yield* SignInLinks
  const sessions = yield* Sessions
  const workspaces = yield* Workspaces
  const settings = yield* ServerSettings
  const { limited } = yield* SignInLimit

  const answer = Effect.fnUntraced(function* ({ csrf, person, session }: SignedIn.Session, status: number) {
    const roles = new Map(person.roles.map(({ role, workspace }) => [workspace, role]))
    const known = yield* workspaces.getMany([...roles.keys()])
    const shown = {
      id: session.id,
      object: "session" as const,
      person: PersonResource.renderSelf(person),
      workspaces: known.map(({ id, name, plan }) => ({ id, name, plan, role: roles.get(id) })),
      csrf_token: csrf,
      created_at: toIso(session.createdAt),
      expires_at: toIso(Session.endsAt(session))
    }
    return HttpServerResponse.jsonUnsafe(yield* RequestVersion.render(shown), { status })
  })

  const say = (event: string, { person, session }: Known) =>
    Effect.annotateLogs(Effect.logInfo(event), { person: person.id, session: session.id })

  const signIn = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const foreign = SameOrigin.refusalOf(request, settings.publicUrl)
    if (foreign !== undefined) return yield* foreign
    yield* RequestVersion.check
    const address = Option.getOrElse(request.remoteAddress, () => "")
    const attempt = Effect.gen(function* () {
      const body = yield* Pipeline.readBody(request)
      const { link } = yield* Effect.flatMap(bodyOf(request, factsOf(create.annotations), body), decodeSignIn)
      return yield* links.use(link)
    })
    const begun = yield* limited(address, attempt)
    yield* say("signed_in", begun)
    const { headers } = yield* Exchange
    headers["cache-control"] = "no-store"
    headers["set-cookie"] = SessionCookie.given(request, settings, begun.secret)
    return yield* answer({ ...begun, csrf: yield* sessions.csrfOf(begun.secret) }, 201)
  })

  const signOut = Effect.gen(function* () {
    const request = yield* HttpServerRequest
    const known = yield* Pipeline.admitPerson(request, factsOf(end.annotations))
    yield* sessions.end(known.session.id)
    yield* say("signed_out", known)
    const { headers } = yield* Exchange
    headers["set-cookie"] = SessionCookie.taken(request, settings)
    const ended = { id: known.session.id, object: "session" as const, deleted: true as const }
    return HttpServerResponse.jsonUnsafe(yield* RequestVersion.render(ended))
  })

  return responsesOf(SessionsApi)({
    create: signIn,
    read: Effect.gen(function* () {
      const request = yield* HttpServerRequest
      return yield* answer(yield* Pipeline.admitPerson(request, factsOf(read.annotations)), 200)
    }),
    end: signOut
  })
})
