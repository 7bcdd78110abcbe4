/**
 * One request from bytes to answer, in the order of contract 2: body size, authentication, scope, rate limit, version,
 * idempotency, validation, the operation.
 */
import { versionHeader, wire } from "@limbeck/api/Brand"
import type { OperationFacts } from "@limbeck/api/Operation"
import { invalid, PermissionDenied, Unauthenticated } from "@limbeck/core/errors/Errors"
import { apiVersion } from "@limbeck/core/events/Event"
import { isKey } from "@limbeck/core/idempotency/Idempotency"
import { type Answer, IdempotentWrites } from "@limbeck/core/idempotency/IdempotentWrites"
import { awaited } from "@limbeck/core/storage/NotYet"
import { Authentication, type Caller } from "@limbeck/core/tokens/Authentication"
import { allows } from "@limbeck/core/tokens/Scope"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { ServerSettings } from "../Settings.ts"
import { AnswerHeaders } from "./AnswerHeaders.ts"
import { ReadBody, tooLarge } from "./Body.ts"
import { RateLimiter } from "./RateLimiter.ts"

/** The body's bytes, no more than the limit of them: that of the control plane unless told. */
export const readBody = Effect.fnUntraced(function* (request: HttpServerRequest, limit?: number) {
  const bytesMax = limit ?? (yield* ServerSettings).bodyBytesMax
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return yield* tooLarge(bytesMax)
  return yield* (yield* ReadBody)(request, bytesMax)
})

/** How exactly a token is looked at; see Authentication. */
type Look = "authenticate" | "recognize"

/** Who asks, from `Authorization: Bearer …`. */
export const authenticate = Effect.fnUntraced(function* (request: HttpServerRequest, look: Look = "authenticate") {
  const authentication = yield* Authentication
  const bearer = /^bearer +([\x21-\x7e]+) *$/i.exec(request.headers["authorization"] ?? "")?.[1]
  return bearer === undefined ? yield* new Unauthenticated({}) : yield* authentication[look](bearer)
})

export const checkVersion = (request: HttpServerRequest) =>
  Effect.flatMap(ServerSettings, ({ brand }) => {
    const version = versionHeader(brand)
    const asked = request.headers[version.toLowerCase()]
    return asked === undefined || asked === apiVersion
      ? Effect.void
      : Effect.fail(invalid(version, `Unknown version; the only one so far is ${apiVersion}`))
  })

const checkAccess = (caller: Caller, facts: OperationFacts) => {
  if (facts.humanOnly) {
    return Effect.fail(
      new PermissionDenied({ message: "This is for people, in the dashboard; no token may", param: null })
    )
  }
  if (facts.access === "public" || facts.access === "token" || allows(caller.token.scopes, facts.access)) {
    return Effect.void
  }
  return Effect.fail(new PermissionDenied({ message: `The token lacks the scope ${facts.access}`, param: null }))
}

/** Authenticated, and allowed to do this. */
export const identify = Effect.fnUntraced(function* (request: HttpServerRequest, facts: OperationFacts, look?: Look) {
  const caller: Caller = yield* authenticate(request, look)
  yield* checkAccess(caller, facts)
  return caller
})

/** Within the rate limit too, of which the answer will tell. */
export const admit = Effect.fnUntraced(function* (request: HttpServerRequest, facts: OperationFacts) {
  const limiter = yield* RateLimiter
  const caller = yield* identify(request, facts)
  Object.assign(yield* AnswerHeaders, yield* limiter.take(caller.token.id))
  yield* checkVersion(request)
  return caller
})

const idempotencyKey = (request: HttpServerRequest, facts: OperationFacts) => {
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

/** Of the path alone: a retry may reach another server, by another name. */
const fingerprint = Effect.fnUntraced(function* (request: HttpServerRequest, body: Uint8Array) {
  const digest = yield* Digest
  const path = request.url.split("?", 1)[0]
  const head = new TextEncoder().encode(`${request.method}\n${path}\n${apiVersion}\n`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return yield* digest.digestHex(sha256, whole)
})

/** Runs the operation, once per key when there is one. What is not there yet is waited for with neither key nor transaction. */
export const execute = Effect.fnUntraced(function* <E, R>(
  request: HttpServerRequest,
  facts: OperationFacts,
  caller: Caller,
  body: Uint8Array,
  operation: Effect.Effect<Answer, E, R>
) {
  const writes = yield* IdempotentWrites
  const key = yield* idempotencyKey(request, facts)
  if (key === undefined) return { ...(yield* awaited(operation)), replayed: false }
  const scope = {
    partition: caller.partition,
    key,
    fingerprint: yield* fingerprint(request, body),
    sealed: facts.secret
  }
  return yield* facts.outsideTransaction ? writes.runOutside(scope, operation) : awaited(writes.run(scope, operation))
})

export const respond = ({
  body,
  replayed,
  status
}: Answer & { readonly replayed: boolean }): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, {
    status,
    contentType: "application/json",
    ...(replayed ? { headers: { [wire.idempotentReplayed]: "true" } } : {})
  })
