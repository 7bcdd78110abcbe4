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

/** The status of a reservation: an operation outside a transaction has not finished. */
export const reservedStatus = 102

/** The body of a reservation whose operation a retry can resume after a crash; otherwise empty. */
interface Resumable {
  /** Until then the process that runs the operation is taken to be alive. */
  readonly until: Millis
  readonly continuation: string
}

/** The record's body, and when the record itself expires. */
export const reservation = (
  continuation: string | null,
  until: Millis,
  expiresAt: Millis
): Pick<IdempotencyRecord, "body" | "expiresAt"> =>
  continuation === null
    ? { body: "", expiresAt: until }
    : { body: JSON.stringify({ until, continuation } satisfies Resumable), expiresAt }

/** Only `reservation` writes such bodies. */
const resumableOf = ({ body }: IdempotencyRecord): Resumable | null => (body === "" ? null : JSON.parse(body))

/** The continuation with which a retry resumes the reserving operation; null: none. */
export const continuationOf = (record: IdempotencyRecord): string | null => resumableOf(record)?.continuation ?? null

export type IdempotencyDecision =
  /** `continuation`: with which to resume a dead process's operation; null: the operation begins anew. */
  | { readonly _tag: "Proceed"; readonly continuation: string | null }
  | { readonly _tag: "InFlight" }
  | { readonly _tag: "Replay"; readonly record: IdempotencyRecord }
  | { readonly _tag: "Reused" }

/**
 * The decision about a request, given the record under its key. An expired record counts as none. `fingerprints`: the
 * request's fingerprint in every form that a server may have stored.
 */
export const decide = (
  found: IdempotencyRecord | undefined,
  fingerprints: ReadonlyArray<string>,
  now: Millis
): IdempotencyDecision => {
  if (found === undefined || found.expiresAt <= now) return { _tag: "Proceed", continuation: null }
  if (!fingerprints.includes(found.fingerprint)) return { _tag: "Reused" }
  if (found.status !== reservedStatus) return { _tag: "Replay", record: found }
  const resumable = resumableOf(found)
  return resumable === null || resumable.until > now
    ? { _tag: "InFlight" }
    : { _tag: "Proceed", continuation: resumable.continuation }
}

/** 1 to 255 visible ASCII characters. */
export const isKey = (key: string): boolean => /^[\x21-\x7e]{1,255}$/.test(key)
