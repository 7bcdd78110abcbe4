/**
 * Requests of signed-in people: the cookie identifies the person, headers select workspace and mode, and changing requests
 * prove their origin in our page. Requests with a bearer token are handled elsewhere.
 */
import { sessionHeaders, wire } from "@limbeck/api/Brand"
import type { OperationFacts } from "@limbeck/api/Operation"
import { type InvalidInput, invalid, PermissionDenied, Unauthenticated } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import type * as Person from "@limbeck/core/people/Person"
import { type SessionOwner, Sessions } from "@limbeck/core/people/Sessions"
import type { Caller, PersonCaller } from "@limbeck/core/tokens/Caller"
import * as RoleRules from "@limbeck/core/workspaces/RoleRules"
import { timingSafeEqual } from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { ServerSettings } from "../../Settings.ts"
import { Exchange } from "./Exchange.ts"
import * as SameOrigin from "./SameOrigin.ts"
import * as SessionCookie from "./SessionCookie.ts"

/** A session, with the proof that its pages send. */
export interface Session extends SessionOwner {
  readonly csrf: string
}

const reads = new Set(["GET", "HEAD"])

const bytesOf = (text: string) => new TextEncoder().encode(text)

const isProof = (given: string | undefined, csrf: string): boolean =>
  given !== undefined && timingSafeEqual(bytesOf(given), bytesOf(csrf))

/** The session of the request's cookie. Its response must not be cached. */
export const session = Effect.fnUntraced(function* (request: HttpServerRequest) {
  const settings = yield* ServerSettings
  const secret = SessionCookie.secretOf(request, settings)
  if (secret === undefined) return yield* new Unauthenticated({})
  const sessions = yield* Sessions
  const known = yield* sessions.authenticate(secret)
  const { headers } = yield* Exchange
  headers["cache-control"] = "no-store"
  const csrf = yield* sessions.csrfOf(secret)
  if (reads.has(request.method)) return { ...known, csrf }
  const foreign = SameOrigin.refusalOf(request, settings)
  if (foreign !== undefined) return yield* foreign
  if (isProof(request.headers[wire.csrfToken.toLowerCase()], csrf)) return { ...known, csrf }
  return yield* new PermissionDenied({
    message: `A session sends its csrf_token with what is no GET, as ${wire.csrfToken}`,
    param: wire.csrfToken
  })
})

const modeOf = (request: HttpServerRequest, name: string): boolean | InvalidInput => {
  const mode = request.headers[name.toLowerCase()] ?? "live"
  return mode === "live" || mode === "test" ? mode === "live" : invalid(name, "A mode is live or test")
}

/** Named always: what a request without a name means would change with the roles of its person, and so would its replay. */
const roleIn = (request: HttpServerRequest, { roles }: Person.Person, name: string) => {
  const named = request.headers[name.toLowerCase()]
  if (named === undefined) return invalid(name, "Name one of your workspaces: GET /v1/session lists them")
  const held = roles.find(({ workspace }) => workspace === named)
  return held ?? new PermissionDenied({ message: "You have no role in this workspace", param: name })
}

const isAllowed = (role: RoleRules.Role, { access, humanOnly }: OperationFacts): boolean => {
  if (humanOnly !== null) return RoleRules.may(role, humanOnly)
  return access === "public" || access === "token" || RoleRules.allows(role, access)
}

/** Logs people's changes, but not their reads. */
const audit = (request: HttpServerRequest, { partition, person, role }: PersonCaller) =>
  reads.has(request.method)
    ? Effect.void
    : Effect.annotateLogs(Effect.logInfo("person_request"), {
        person: person.id,
        role,
        workspace: partition.workspace,
        livemode: partition.livemode,
        method: request.method,
        path: request.url
      })

/** The person in the workspace and mode of the request, allowed to do this. */
export const caller = Effect.fnUntraced(function* (request: HttpServerRequest, facts: OperationFacts) {
  const known = yield* session(request)
  const names = sessionHeaders((yield* ServerSettings).brand)
  const livemode = modeOf(request, names.mode)
  if (typeof livemode !== "boolean") return yield* livemode
  const held = roleIn(request, known.person, names.workspace)
  if ("_tag" in held) return yield* held
  const { role, workspace } = held
  const partition = Partition.make(workspace, livemode)
  if (!isAllowed(role, facts)) {
    return yield* new PermissionDenied({ message: `The role ${role} may not do this`, param: null })
  }
  const signedIn: PersonCaller = { partition, session: known.session, person: known.person, role }
  yield* audit(request, signedIn)
  return signedIn
})

/** For operations that are for people alone: the pipeline has refused every token. */
export const of = (caller: Caller): Effect.Effect<PersonCaller> =>
  caller.token === undefined
    ? Effect.succeed(caller)
    : Effect.die(new Error("A human-only operation passed the access check"))
