/** Every bound of core, with its reason. */
export const Limits = {
  /** Lists answer this many rows unless told (service-api 4.4). */
  pageDefault: 20,
  /** A larger `limit` is clamped to this (service-api 4.4). */
  pageMax: 100,
  /** How long a stored answer is replayed (service-api 4.5). */
  idempotencyHours: 24,
  /** A key reserved for an operation outside of a transaction is free again after this: longer than any may take. */
  idempotencyReservationMillis: 30_000,
  /** Longest idempotency key, in visible ASCII characters (contract 10). */
  idempotencyKeyMax: 255,
  /** A signature whose timestamp is further away than this is refused (service-api 6.3). */
  signatureToleranceSeconds: 300,
  /** Longest overlap of an old token after a rotation (contract 2). */
  tokenOverlapSecondsMax: 7 * 24 * 3600,
  /** Bytes per stored piece of a blob: large enough to amortise a statement, small enough to hold many in memory. */
  blobPieceBytes: 256 * 1024
} as const
