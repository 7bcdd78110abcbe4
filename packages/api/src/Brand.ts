/** The names that the wire carries (contract 1, "wire brand"), in one place. */
export const wire = {
  requestId: "X-Request-Id",
  version: "Service-Version",
  idempotencyKey: "Idempotency-Key",
  idempotentReplayed: "Idempotent-Replayed"
} as const
