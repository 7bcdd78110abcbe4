/** Every bound of the process executor, with its reason. */
export const ProcessLimits = {
  /** How often a trainer's output and life are looked at: what a watcher does not notice. */
  pollMillis: 100,
  /** Machine time of one reservation. */
  quantumMillis: 1_000,
  /** Time for a trainer's last checkpoint at the end of its budget; part of the budget. */
  budgetGraceMillis: 1_000,
  /** Time for the same after a cancel. A cancel takes up to a second to arrive, so the sum stays below 5 s. */
  stopGraceMillis: 3_000,
  /** A trainer that gave its result has this long to end by itself. */
  leaveMillis: 2_000,
  /** Interval of reading the judges' usage for a trainer, and the longest wait of a trainer for more. */
  scoringLookMillis: 500,
  /** Start time of a shell on a busy machine. */
  startMillis: 10_000,
  /** A contract line: an answer of many thousand tokens fits. */
  lineBytesMax: 1_048_576,
  /** Bytes of a line of free text. */
  textBytesMax: 65_536,
  /** Bytes of one read of a file. */
  readBytes: 262_144,
  /** Characters of one log line in storage. */
  logCharactersMax: 8_192,
  /** Log lines of one job, so that a trainer that prints in a loop does not fill the storage. */
  logLinesMax: 50_000,
  /** Reported malformed lines of one job. */
  wrongMax: 100,
  /** Distinct metrics of one job; the stage row shows all of them. */
  metricNamesMax: 100,
  metricNameCharactersMax: 100,
  /** Characters of a checkpoint's state or a result as JSON, which every batch of progress writes. */
  stateCharactersMax: 16_384,
  /** Interval of the search for orphans. An orphan is stopped when two searches find it. */
  reapMillis: 5_000,
  /** Retention of the files of a failed or canceled run, for a retry. */
  keptMillis: 7 * 86_400_000
} as const
