/** Every bound of the process executor, with its reason. */
export const ProcessLimits = {
  /** How often a trainer's output and life are looked at: what a watcher does not notice. */
  pollMillis: 100,
  /** Machine time that is paid for at once. */
  quantumMillis: 1_000,
  /** What a trainer is left to say its last checkpoint in when the budget ends; it is part of the budget. */
  budgetGraceMillis: 1_000,
  /** And when its run is canceled: with the second that a cancel may take to reach us, less than 5. */
  stopGraceMillis: 3_000,
  /** A trainer that gave its result has this long to end by itself. */
  leaveMillis: 2_000,
  /** How often it is asked what judges took for a trainer, and are to take: a trainer waits so long for more. */
  scoringLookMillis: 500,
  /** How long a shell may take to come up on a busy machine. */
  startMillis: 10_000,
  /** A contract line: an answer of many thousand tokens fits. */
  lineBytesMax: 1_048_576,
  /** A line of free text. */
  textBytesMax: 65_536,
  /** Read from a file at once. */
  readBytes: 262_144,
  /** Characters of one log line in storage. */
  logCharactersMax: 8_192,
  /** Log lines of one job: a trainer that prints in a loop does not fill the storage. */
  logLinesMax: 50_000,
  /** Lines of a job that are reported as wrong. */
  wrongMax: 100,
  /** Different metrics of a job: the stage row shows each. */
  metricNamesMax: 100,
  metricNameCharactersMax: 100,
  /** Of a checkpoint's state or a result as JSON: it is written with every batch of progress. */
  stateCharactersMax: 16_384,
  /** How often orphans are looked for; one is stopped when it is seen twice. */
  reapMillis: 5_000,
  /** How long the files of a failed or canceled run wait for a retry. */
  keptMillis: 7 * 86_400_000
} as const
