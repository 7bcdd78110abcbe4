/**
 * Rights of the caller of a token operation, read inside its transaction. Another server may accept a disabled token, or a former
 * member, for up to a second; without this check, a token minted in that second would survive.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { invalid, PermissionDenied, Unauthenticated } from "../../errors/Errors.ts"
import type { TokenId } from "../../ids/Id.ts"
import { Limits } from "../../Limits.ts"
import * as Partition from "../../partition/Partition.ts"
import * as Person from "../../people/Person.ts"
import type { ResourceStore } from "../../resources/ResourceStore.ts"
import { type Millis, toIso } from "../../time/Timestamp.ts"
import * as RoleRules from "../../workspaces/RoleRules.ts"
import * as Caller from "../Caller.ts"
import type { Scope } from "../Scope.ts"
import * as Token from "../Token.ts"
import * as TokenLimitRules from "../TokenLimitRules.ts"
import type { TokenLimits } from "../TokenLimits.ts"

type Store = ResourceStore["Service"]

/**
 * Returns the role of the person behind the caller; null if no person is. Locks the person and then the token until the commit, so
 * that ending the membership or disabling the token either waits or makes this transaction fail.
 */
export const hold = Effect.fnUntraced(function* (resources: Store, caller: Caller.Caller, now: Millis) {
  const role = yield* heldRole(resources, caller)
  if (caller.token === undefined) return role
  const stored = yield* resources.find(caller.partition, Token.kind, caller.token.id)
  if (Option.isNone(stored) || Token.statusAt(stored.value.value, now) !== "active")
    return yield* new Unauthenticated({})
  yield* resources.compareAndSet(caller.partition, Token.kind, stored.value)
  return role
})

const heldRole = Effect.fnUntraced(function* (resources: Store, caller: Caller.Caller) {
  const id = Caller.personOf(caller)
  if (id === undefined) return null
  const stored = yield* resources.find(Partition.system, Person.kind, id)
  const person = Option.getOrUndefined(stored)
  const role = person && Person.roleIn(person.value, caller.partition.workspace)
  if (person === undefined || role === undefined) return yield* new Unauthenticated({})
  yield* resources.compareAndSet(Partition.system, Person.kind, person)
  return role
})

export const mayGrant = Effect.fnUntraced(function* (
  caller: Caller.Caller,
  role: RoleRules.Role | null,
  scopes: ReadonlyArray<Scope>
) {
  const unheld = caller.token === undefined ? -1 : scopes.findIndex((scope) => !Caller.allows(caller, scope))
  if (unheld >= 0) {
    const message = `A token cannot grant ${scopes[unheld]}, which it lacks`
    return yield* new PermissionDenied({ message, param: `scopes[${unheld}]` })
  }
  const beyond = role === null ? -1 : scopes.findIndex((scope) => !RoleRules.mayGrant(role, scope))
  if (beyond < 0) return
  const message = `The role ${role} cannot grant ${scopes[beyond]}`
  return yield* new PermissionDenied({ message, param: `scopes[${beyond}]` })
})

export const mayOutlive = Effect.fnUntraced(function* ({ token }: Caller.Caller, until: Millis | null) {
  const expiresAt = token?.expiresAt ?? null
  if (expiresAt === null || (until !== null && until <= expiresAt)) return
  const message = `This token expires at ${toIso(expiresAt)}: it cannot make one whose expires_at is later, or absent`
  return yield* new PermissionDenied({ message, param: "expires_at" })
})

/** A token gives no token wider limits than its own. */
export const mayLimit = ({ token }: Caller.Caller, limits: TokenLimits | undefined) => {
  const refusal = TokenLimitRules.findWidening(token?.limits, limits)
  return refusal === undefined ? Effect.void : Effect.fail(refusal)
}

/**
 * The use that a token made by this caller shares, so that tokens made by a limited one come to no more together than it may itself.
 * Undefined: a use of its own.
 */
export const sharedUseOf = ({ token }: Caller.Caller): TokenId | undefined => {
  const { maxCostMicrosPerDay, requestsPerMinute } = token?.limits ?? {}
  const isCounted = maxCostMicrosPerDay !== undefined || requestsPerMinute !== undefined
  return token !== undefined && isCounted ? Token.useIdOf(token) : undefined
}

/** Fails if the person has `personTokensMax` active tokens in this mode. */
export const hasRoom = Effect.fnUntraced(function* (
  resources: Store,
  partition: Partition.Partition,
  person: string | undefined,
  now: Millis
) {
  if (person === undefined) return
  const tokens = yield* resources.findByLabels(partition, Token.kind, [Token.labelOf(person)])
  const active = tokens.filter((token) => Token.statusAt(token, now) === "active")
  if (active.length < Limits.personTokensMax) return
  return yield* invalid(
    null,
    `A person has at most ${Limits.personTokensMax} active tokens, those that their tokens made among them: revoke some`
  )
})
