/** Every bound of the ledger, with its reason. */
export const BillingLimits = {
  /** Longest reference of a top-up, in characters: an invoice number or a payment id. */
  referenceMax: 255,
  /** The largest top-up, in micro-dollars: a billion dollars. A thousand such still fit into a whole number. */
  topUpMicrosMax: 1e15,
  /** Micro-dollars that a server puts aside for calls at a time: hundreds of calls, and no sum that a balance misses. */
  holdQuantumMicros: 1_000_000,
  /** The lease of a hold for calls: three beats may fail before it expires. Less than `Limits.workWaitMaxMillis` of core. */
  holdMillis: 100_000,
  /** How often a server renews its holds, and closes those without calls. */
  holdBeatMillis: 30_000,
  /** How long a hold without calls stays open: until then, the next call needs no storage access. */
  holdIdleMillis: 120_000,
  /** A call that ended so long ago and was not stored has lost its record. */
  callLostMillis: 10 * 60_000,
  /** A balance that did not suffice is asked for again after this. */
  refusalMillis: 1_000,
  /** The end of a process waits so long for a hold to be closed; else it expires. */
  closeMillis: 1_000,
  /** The lease of an expired hold that a worker settles. */
  expiryLeaseMillis: 30_000,
  expiryBeatMillis: 10_000,
  expiryPollMillis: 30_000
} as const
