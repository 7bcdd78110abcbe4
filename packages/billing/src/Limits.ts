/** Every bound of the ledger, with its reason. */
export const BillingLimits = {
  /** Characters of the reference of a top-up: an invoice's number, a payment's id. */
  referenceMax: 255,
  /** The largest top-up, in micro-dollars: a billion dollars. A thousand such still fit into a whole number. */
  topUpMicrosMax: 1e15
} as const
