/** Every bound of deployments and the proxy, with its reason. */
export const ServingLimits = {
  /** Longest alias, in characters: people type it as a call's model. */
  aliasMax: 64,
  /** Maximum choices of one student answer, as supported by the usual clients. */
  studentChoicesMax: 128,
  /** Maximum alternatives with their probabilities in one student answer, as in OpenAI's API. */
  topLogprobsMax: 20,
  /** Maximum bytes of artifacts with students in memory; one has a few megabytes. */
  studentsBytesMax: 512 * 1024 ** 2,
  /**
   * Maximum members and items of a request read by a student in this process, and its maximum depth: as for a captured call
   * that becomes a row. Larger requests are not parsed, because they would block others.
   */
  studentMembersMax: 100_000,
  studentDepthMax: 1_000,
  /** Failures in a row after which a source with fallbacks is passed over, and for how long (contract 16.8). */
  breakerFailures: 5,
  breakerMillis: 10_000,
  /** Failing sources that are remembered at once. */
  breakersMax: 10_000,
  /** Aliases with series of their own in metrics: further ones count as `other`. */
  meteredAliasesMax: 100,
  /** Bytes of an endpoint's answer that is read for its confidence: with the probabilities of 10,000 tokens. */
  measuredBytesMax: 2 * 1024 ** 2,
  /** Percent of an active student's answers that the upstream is asked for as well. */
  guardVerifyPercent: 2,
  /** Points of a deployment's agreement over time: as many as a plot shows apart. */
  agreementPeriods: 60,
  /** Verifications counted per transaction, and the interval of looks without a bell. */
  verificationsPerTurn: 500,
  verificationsPollMillis: 30_000,
  /** How often a worker looks for deployments whose calls are to be compared: their items ring no bell. */
  driftPollMillis: 5_000,
  /** Characters of an answer that is read for its label: labels are short. */
  driftAnswerCharactersMax: 65_536,
  /** How far the time of a call may lie from that in its id. */
  driftSlackMillis: 60_000,
  /** The default wait for a student's first byte: long enough for a cold one, short enough for a client that then waits for the fallback. */
  studentTimeoutMillis: 30_000,
  /** What a student waits for the embedding of a request: embedding models answer in a tenth of a second, and the fallback waits behind. */
  embeddingMillis: 5_000,
  /** Interval of reviewing the wanted serving processes, without a bell. */
  managedReviewMillis: 5_000,
  /** A deployment that moves to a student is written by then. */
  managedKeptMillis: 1_000,
  /** Interval of looking for unused students' files; at once after this process has ended a student. */
  managedSweepMillis: 600_000,
  /** How long calls to an unwanted process may take to end. */
  managedDrainMillis: 30_000,
  /** What a request that moves a deployment waits for its new student: less than most clients do. */
  managedMoveMillis: 60_000,
  /** Entries of a review queue, by default and at most: one document, written with each verdict, and an hour of a person's work. */
  reviewEntriesDefault: 100,
  reviewEntriesMax: 300,
  /** The share of a queue's entries that two people judge, unless the request names one. */
  reviewSharedDefault: 0.1,
  /** An entry without a verdict returns to the others after this: longer than a person looks at one answer. */
  reviewLeaseMillis: 300_000,
  /** The newest calls and verifications of a deployment among which a queue looks. */
  reviewCallsMax: 5_000,
  reviewVerificationsMax: 500,
  /** Waivers per period: ten full queues, in one document that the guard rewrites with each count. */
  waivedCallsMax: 3_000,
  /** Concurrent reads of verifications, and of entries after an unreadable entry. */
  reviewReadsAtOnce: 8,
  /** A worker that dies frees its deployment after this (contract 14.4). */
  leaseMillis: 12_000,
  heartbeatMillis: 3_000,
  /** How often a worker looks for due work whose doorbell was lost. */
  pollMillis: 10_000
} as const
