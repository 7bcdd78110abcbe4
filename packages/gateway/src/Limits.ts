/** Every bound of the gateway, with its reason. */
export const Limits = {
  /** Characters of a source's name: it is typed into a header. */
  sourceNameMax: 64,
  urlMax: 2_048,
  /** Characters of a provider's key; signed tokens of some providers reach 2,000. */
  apiKeyMax: 4_096,
  /** A key that is shorter does not show its last four: too much of it would be told. */
  apiKeyShownFrom: 8,
  /** Models that a source names. */
  modelsMax: 1_000,
  modelIdMax: 255,
  /** What a source waits for, unless told: as long as the usual clients do, for models that think before they answer. */
  timeoutMillis: 600_000,
  timeoutMillisMax: 3_600_000,
  /** A verification waits no longer: shorter than an idempotency key is reserved for. */
  verifyMillis: 10_000,
  /** Bytes of an answer that is read here and not passed on: a catalog, a judge's words. */
  answerBytesMax: 4 * 1024 ** 2,
  /** How long a catalog that was read from an upstream is not read again. */
  catalogMillis: 60_000,
  /** Upstream catalogs kept at once. */
  catalogsMax: 1_000,
  /** Bytes of a proxied body (contract 1): a conversation with images fits. */
  proxyBodyBytesMax: 16 * 1024 ** 2,
  /** Tags of a call, and their characters (service-api 8, contract 7). */
  tagsMax: 16,
  tagMax: 64,
  externalIdMax: 255
} as const
