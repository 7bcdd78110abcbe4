/** Words and the decision of idempotency (service-api 4.5, contract 10). */
import type { Millis } from "../time/Timestamp.ts"

/** A stored answer. `body` is sealed (see Secrets) when it holds a secret. */
export interface IdempotencyRecord {
  readonly key: string
  /** Tells the request from every other one: a digest of its method, its path and the bytes of its body, with the form of the digest. */
  readonly fingerprint: string
  readonly status: number
  readonly body: string
  readonly sealed: boolean
  readonly expiresAt: Millis
}

/** The status of a record that stands for an answer yet to come, of an operation that runs outside of a transaction. */
export const reservedStatus = 102

export type IdempotencyDecision =
  | { readonly _tag: "Proceed" }
  | { readonly _tag: "InFlight" }
  | { readonly _tag: "Replay"; readonly record: IdempotencyRecord }
  | { readonly _tag: "Reused" }

/**
 * What to do with a request, given what is stored under its key. An expired record counts as none. `fingerprints`: the
 * request's fingerprint in every form that a server may have stored.
 */
export const decide = (
  found: IdempotencyRecord | undefined,
  fingerprints: ReadonlyArray<string>,
  now: Millis
): IdempotencyDecision => {
  if (found === undefined || found.expiresAt <= now) return { _tag: "Proceed" }
  if (!fingerprints.includes(found.fingerprint)) return { _tag: "Reused" }
  return found.status === reservedStatus ? { _tag: "InFlight" } : { _tag: "Replay", record: found }
}

/** 1 to 255 visible ASCII characters. */
export const isKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key)
