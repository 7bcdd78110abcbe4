/** The caller of a request, and its data: the holder of a token, or a signed-in person. */
import type { Partition } from "../partition/Partition.ts"
import type { Person, PersonId } from "../people/Person.ts"
import type { Session } from "../people/Session.ts"
import * as RoleRules from "../workspaces/RoleRules.ts"
import type { Credential } from "./CredentialStore.ts"
import * as Scope from "./Scope.ts"
import type { TokenMaker } from "./Token.ts"

/** A person in the request's workspace and mode, with the role there. */
export interface PersonCaller {
  readonly partition: Partition
  readonly token?: undefined
  readonly session: Session
  readonly person: Person
  readonly role: RoleRules.Role
}

export type Caller = Credential | PersonCaller

/** The owner of the rate limit and of idempotency keys. */
export const idOf = (caller: Caller): string => (caller.token === undefined ? caller.person.id : caller.token.id)

/** The person behind the caller; undefined: a token of the operator's. */
export const personOf = (caller: Caller): PersonId | undefined =>
  caller.token === undefined ? caller.person.id : caller.token.person

/** The `createdBy` of tokens made by this caller. */
export const makerOf = (caller: Caller): TokenMaker =>
  caller.token === undefined ? { kind: "person", id: caller.person.id } : { kind: "token", id: caller.token.id }

export const allows = (caller: Caller, needed: Scope.Scope): boolean =>
  caller.token === undefined ? RoleRules.allows(caller.role, needed) : Scope.allows(caller.token.scopes, needed)
