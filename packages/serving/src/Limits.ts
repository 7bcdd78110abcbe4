/** Every bound of deployments and the proxy, with its reason. */
export const ServingLimits = {
  /** Characters of an alias: it is typed into the model of a call. */
  aliasMax: 64,
  /** Choices of one answer by a student, as the usual clients may ask for. */
  studentChoicesMax: 128,
  /** Bytes of artifacts whose students are in memory at once; one has a few megabytes. */
  studentsBytesMax: 512 * 1024 ** 2,
  /**
   * Members and items of a request that a student in this process reads, all together, and how deep they nest: as of a captured
   * call that a row is made of. More are not parsed, which would hold up everybody.
   */
  studentMembersMax: 100_000,
  studentDepthMax: 1_000,
  /** Failures in a row after which a source with fallbacks is passed over, and for how long (contract 16.8). */
  breakerFailures: 5,
  breakerMillis: 10_000,
  /** Failing sources that are remembered at once. */
  breakersMax: 10_000,
  /** Bytes of an endpoint's answer that is read for its confidence: with the probabilities of 10,000 tokens. */
  measuredBytesMax: 2 * 1024 ** 2,
  /** Percent of an active student's answers that the upstream is asked for as well. */
  guardVerifyPercent: 2,
  /** Points of a deployment's agreement over time: as many as a plot shows apart. */
  agreementPeriods: 60,
  /** Verifications that are counted in one transaction, and how often a server looks for those that nobody rang for. */
  verificationsPerTurn: 500,
  verificationsPollMillis: 30_000,
  /** The default wait for a student's first byte: long enough for a cold one, short enough for a client that then waits for the fallback. */
  studentTimeoutMillis: 30_000,
  /** How often it is looked whether processes that serve students are wanted, where no bell rang. */
  managedReviewMillis: 5_000,
  /** A deployment that moves to a student is written by then. */
  managedKeptMillis: 1_000,
  /** How often files of students that nobody has are looked for; at once, where this process has just ended one. */
  managedSweepMillis: 600_000,
  /** What calls to a process that nobody wants any more may take to end. */
  managedDrainMillis: 30_000,
  /** What a request that moves a deployment waits for its new student: less than most clients do. */
  managedMoveMillis: 60_000,
  /** A worker that dies frees its deployment after this (contract 14.4). */
  leaseMillis: 12_000,
  heartbeatMillis: 3_000,
  /** How often a worker looks for due work whose doorbell was lost. */
  pollMillis: 10_000
} as const
