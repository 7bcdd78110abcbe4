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
  /** Bytes that a packed answer is unpacked to when it is stored: a few bytes may stand for gigabytes. */
  unpackedBytesMax: 64 * 1024 ** 2,
  /** Bytes of an answer that are captured; what follows passes, and is not kept. No less than a request may have. */
  capturedBytesMax: 16 * 1024 ** 2,
  /** A batch of captured calls on its way to storage: one statement, a share of memory, a wait that nobody notices. */
  captureBatchMax: 500,
  captureBatchBytesMax: 8 * 1024 ** 2,
  captureLingerMillis: 200,
  /** The wait after storage failed, which doubles up to the second. */
  captureRetryMillis: 100,
  captureRetryMillisMax: 2_000,
  /** How long storage may take to say that it is up. */
  captureHealthMillis: 1_000,
  /** A batch that storage refuses so often while it is up is not refused for an accident. */
  captureRefusalsMax: 4,
  /** What waits in memory where there is no journal: some seconds of a busy server. */
  captureBufferMax: 20_000,
  captureBufferBytesMax: 64 * 1024 ** 2,
  /** What the end of a process waits for calls to be stored, of the 10 s that it has in all. */
  captureFlushMillis: 5_000,
  /** A call is stored a moment after its answer: one that began so lately may still be on its way. */
  callArrivalMillis: 900_000,
  /** Bytes of requests and answers on one page of calls; a page of large ones is shorter. */
  callPageBytesMax: 32 * 1024 ** 2,
  /** Of what was said of a call, what is shown with it. */
  feedbackShownMax: 100,
  /** Characters of what a feedback is about, such as `quality`, and of what a person says beside it. */
  feedbackNameMax: 64,
  commentMax: 4_000,
  /** Tags of a call, and their characters (service-api 8, contract 7). */
  tagsMax: 16,
  tagMax: 64,
  externalIdMax: 255,
  /** Characters of an alias: it is typed into the model of a call. */
  aliasMax: 64,
  /** Choices of one answer by a student, as the usual clients may ask for. */
  studentChoicesMax: 128,
  /** Bytes of artifacts whose students are in memory at once; one has a few megabytes. */
  studentsBytesMax: 512 * 1024 ** 2,
  /** Copies of calls that wait for a student in shadow, and their bytes; more are dropped and counted. */
  shadowsMax: 1_000,
  shadowsBytesMax: 64 * 1024 ** 2,
  /** Copies that are out at endpoints at once: fewer than would be felt by those who wait for an answer. */
  shadowsAtOnce: 16,
  /** What a student waits for its first byte, unless told: long enough for a cold one, short enough for who waits for the fallback. */
  studentTimeoutMillis: 30_000,
  /** Deployments that one process provisions at once: each may load a student. */
  provisionsMax: 2,
  /** A worker that dies frees its deployment after this (contract 14.4). */
  leaseMillis: 12_000,
  heartbeatMillis: 3_000,
  /** How often a worker looks for due work that nobody rang for. */
  pollMillis: 10_000
} as const
