/**
 * One request from bytes to response, in the order of contract 15.8: head, authentication, scope, rate limit, version,
 * idempotency key, body, the operation. An earlier refusal leaves the body unread.
 */
import { wire } from "@limbeck/api/Brand"
import type { OperationFacts } from "@limbeck/api/Operation"
import {
  type InvalidInput,
  invalid,
  PermissionDenied,
  type StorageError,
  type Unauthenticated
} from "@limbeck/core/errors/Errors"
import { isKey } from "@limbeck/core/idempotency/Idempotency"
import { type Answer, IdempotentWrites, type Keeper } from "@limbeck/core/idempotency/IdempotentWrites"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import type { Sessions } from "@limbeck/core/people/Sessions"
import { Authentication } from "@limbeck/core/tokens/Authentication"
import * as Caller from "@limbeck/core/tokens/Caller"
import type { Credential } from "@limbeck/core/tokens/CredentialStore"
import { allows } from "@limbeck/core/tokens/Scope"
import * as ApiVersions from "@limbeck/core/versions/ApiVersions"
import * as RoleRules from "@limbeck/core/workspaces/RoleRules"
import * as Context from "effect/Context"
import { Digest } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { Scope } from "effect/Scope"
import { ServerSettings } from "../../Settings.ts"
import { RateLimiter } from "../RateLimiter.ts"
import * as Body from "./Body.ts"
import { BodyRoom } from "./BodyRoom.ts"
import { Exchange } from "./Exchange.ts"
import * as Fingerprint from "./Fingerprint.ts"
import * as RequestVersion from "./RequestVersion.ts"
import * as SignedIn from "./SignedIn.ts"

/**
 * The body's bytes, no more than the limit of them, by default that of the control plane, and no more than the workspace has room
 * for. Null: nobody is signed in yet.
 */
export const readBody = (request: HttpServerRequest, workspace: WorkspaceId | null, limit?: number) =>
  Effect.contextWith((context: Context.Context<BodyRoom | Scope>): Effect.Effect<Uint8Array, Body.BodyError> => {
    const bytesMax = limit ?? Context.get(context, ServerSettings).bodyBytesMax
    // A host of the Fetch mount may pass what node:http would not.
    const declared = Number(request.headers["content-length"] ?? 0) || 0
    if (declared > bytesMax) return Effect.fail(Body.tooLarge(bytesMax))
    return Effect.flatMap(Context.get(context, BodyRoom).part(Context.get(context, Scope), workspace), (grow) => {
      const full = grow(declared)
      if (full !== undefined) return Effect.fail(full)
      const admit = (length: number) => (length > bytesMax ? Body.tooLarge(bytesMax) : grow(length))
      return Context.get(context, Body.ReadBody).read(request, admit)
    })
  })

/** Counts bytes that a request holds beside its body, such as the unpacked body. Fails without room. */
export const holdBytes = (workspace: WorkspaceId, bytes: number) =>
  Effect.contextWith((context: Context.Context<BodyRoom | Scope>) =>
    Effect.flatMap(Context.get(context, BodyRoom).part(Context.get(context, Scope), workspace), (grow) => {
      const full = grow(bytes)
      return full === undefined ? Effect.void : Effect.fail(full)
    })
  )

const refusalOf = ({ token }: Credential, facts: OperationFacts): PermissionDenied | undefined => {
  if (facts.humanOnly !== null) {
    return new PermissionDenied({ message: RoleRules.refusalOf(facts.humanOnly), param: null })
  }
  if (facts.access === "public" || facts.access === "token" || allows(token.scopes, facts.access)) {
    return undefined
  }
  return new PermissionDenied({ message: `The token lacks the scope ${facts.access}`, param: null })
}

export const bearerOf = ({ headers }: HttpServerRequest): string | undefined =>
  /^bearer +([\x21-\x7e]+) *$/i.exec(headers["authorization"] ?? "")?.[1]

/** The token of a proxy client, in `Authorization` or else in `x-api-key`, the header of Anthropic's clients. */
export const clientTokenOf = (request: HttpServerRequest): string | undefined =>
  request.headers["authorization"] === undefined ? request.headers["x-api-key"] : bearerOf(request)

type CallerLookup = Effect.Effect<
  Caller.Caller,
  InvalidInput | PermissionDenied | StorageError | Unauthenticated,
  Sessions
>

/**
 * Authenticated by the token that `tokenOf` returns (by default `Authorization: Bearer …`), or else by the cookie of a session, and
 * allowed to do this.
 */
export const identify = (request: HttpServerRequest, facts: OperationFacts, tokenOf = bearerOf) =>
  Effect.flatMap(Authentication, (authentication): CallerLookup => {
    const bearer = tokenOf(request)
    if (bearer === undefined) return SignedIn.caller(request, facts)
    return Effect.flatMap(authentication.authenticate(bearer), (caller) => {
      const refusal = refusalOf(caller, facts)
      return refusal === undefined ? Effect.succeed(caller) : Effect.fail(refusal)
    })
  })

/** Within the rate limit too, of which the answer will tell. */
export const admit = (request: HttpServerRequest, facts: OperationFacts) =>
  Effect.contextWith((context: Context.Context<Authentication | RateLimiter>) => {
    const limiter = Context.get(context, RateLimiter)
    const exchange = Context.get(context, Exchange)
    const { brand } = Context.get(context, ServerSettings)
    return Effect.flatMap(identify(request, facts), (caller) =>
      Effect.flatMapEager(limiter.take(Caller.idOf(caller)), (told) => {
        Object.assign(exchange.headers, told)
        const refusal = RequestVersion.refusalOf(exchange, brand)
        return refusal === undefined ? Effect.succeed(caller) : Effect.fail(refusal)
      })
    )
  })

/** Admits a signed-in person of any role; refuses tokens with a message about people. */
export const admitPerson = Effect.fnUntraced(function* (request: HttpServerRequest, facts: OperationFacts) {
  if (bearerOf(request) !== undefined) yield* identify(request, facts)
  const session = yield* SignedIn.session(request)
  Object.assign((yield* Exchange).headers, yield* (yield* RateLimiter).take(session.person.id))
  yield* RequestVersion.check
  return session
})

/** The key that a request has, if its operation takes one. */
export const idempotencyKey = (request: HttpServerRequest, facts: OperationFacts) => {
  if (facts.idempotency === "none") return Effect.undefined
  const key = request.headers[wire.idempotencyKey.toLowerCase()]
  if (key === undefined) {
    return facts.idempotency === "required"
      ? Effect.fail(invalid(wire.idempotencyKey, "This request needs an Idempotency-Key"))
      : Effect.undefined
  }
  return isKey(key)
    ? Effect.succeed(key)
    : Effect.fail(invalid(wire.idempotencyKey, "A key is 1 to 255 visible ASCII characters"))
}

/** A request whose caller may make it. */
export interface AdmittedRequest {
  readonly request: HttpServerRequest
  readonly facts: OperationFacts
  readonly caller: Caller.Caller
  /** Undefined: repeated requests repeat the operation. */
  readonly key: string | undefined
  readonly body: Uint8Array
}

const scopeOf = Effect.fnUntraced(function* ({ body, caller, facts, request }: AdmittedRequest, key: string) {
  // The routes see the path alone of the URL. A replay to others than its maker would give a secret away.
  const keyed = { method: request.method, path: request.url, maker: facts.secret ? Caller.idOf(caller) : "", body }
  const digest = yield* Digest
  return {
    partition: caller.partition,
    // A person's keys are theirs alone: no key of a client has a space.
    key: caller.token === undefined ? `${caller.person.id} ${key}` : key,
    fingerprint: yield* Fingerprint.of(keyed),
    earlierFingerprints: Effect.provideService(Fingerprint.earlier(keyed), Digest, digest),
    sealed: facts.secret
  }
})

/** Runs the operation, once per key, if any. Waits for data on its way with neither key nor transaction. */
export const execute = Effect.fnUntraced(function* <E, R>(
  asked: AdmittedRequest,
  operation: Effect.Effect<Answer, E, R>
) {
  const { facts, key } = asked
  const writes = yield* IdempotentWrites
  if (key === undefined) return { ...(yield* operation), replayed: false }
  const scope = yield* scopeOf(asked, key)
  return yield* facts.outsideTransaction ? writes.runOutside(scope, operation) : writes.run(scope, operation)
})

/** As `execute`, for an operation that waits for the outside and then stores its answer itself; without a key it stores none. */
export const executeKeeping = Effect.fnUntraced(function* <E, R>(
  asked: AdmittedRequest,
  operation: (keeper: Keeper | undefined) => Effect.Effect<Answer, E, R>
) {
  const { key } = asked
  const writes = yield* IdempotentWrites
  if (key === undefined) return { ...(yield* operation(undefined)), replayed: false }
  return yield* writes.runKeeping(yield* scopeOf(asked, key), operation)
})

/** An answer in the newest version of the API. */
interface SentAnswer extends Omit<Answer, "body"> {
  /** JSON, or its bytes where the request's version is the newest. */
  readonly body: string | Uint8Array
  readonly replayed: boolean
}

/** The answer in the version of its request, which that of a replay may not share with the first request under its key. */
export const respond = (
  { body, replayed, status }: SentAnswer,
  { version }: Exchange
): HttpServerResponse.HttpServerResponse => {
  const options = {
    status,
    contentType: "application/json",
    ...(replayed ? { headers: { [wire.idempotentReplayed]: "true" } } : {})
  }
  return typeof body === "string"
    ? HttpServerResponse.text(ApiVersions.textIn(version, body), options)
    : HttpServerResponse.uint8Array(body, options)
}
