/** Every bound of webhooks, with its reason. */
export const Limits = {
  /** From DNS to the last body byte (service-api 6.4). */
  attemptMillis: 5_000,
  /** Kept of a response body, for `body_snippet` (contract 8). */
  snippetBytes: 1_024,
  /** Read of a response body, decompressed; the rest is cut (contract 8, 14.7). */
  responseBytes: 64 * 1_024,
  /** Entries of `enabled_events`, after folding duplicates (contract 8, 14.5). */
  enabledEventsMax: 100,
  /** A claim must outlive an attempt, and a dead worker's work is due again within 15 s of a restart (contract 14.4). */
  leaseMillis: 10_000,
  /** Attempts under way at once in one process. */
  concurrencyMax: 256,
  /** Attempts under way at once to one endpoint, so that one that hangs leaves the others their share. */
  perEndpointMax: 16,
  /** How often a worker looks for due work that nobody rang for. */
  pollMillis: 5_000,
  urlMax: 2_048,
  descriptionMax: 1_000
} as const
