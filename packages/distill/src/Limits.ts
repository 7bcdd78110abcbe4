/** Every bound of distill, with its reason. */
export const DistillLimits = {
  /** Bytes of one upload's content as sent (contract 6). */
  uploadBytesMax: 5 * 1024 ** 3,
  /** An upload whose content never came expires (contract 6). */
  uploadExpiryMillis: 24 * 3_600_000,
  /** Requests that may bring one upload's content: 5 GiB in parts of 5 MiB, or a bad line that breaks at every one of them. */
  uploadPartsMax: 1_000,
  /** A server that takes content says so often that it is there; one that was silent for so long is believed dead (contract 14.4). */
  arrivalBeatMillis: 3_000,
  arrivalSilenceMillis: 9_000,
  /** Characters of a name: filename, dataset. */
  nameMax: 255,
  /** Bad lines that an upload names; the rest is counted (contract 6). */
  uploadErrorsMax: 50,
  /**
   * One line of an upload: two messages of the largest size fit, whatever their characters. A row is in memory several times while
   * it is read, redacted and stored: a row of this size takes about 75 MB, and a file without newlines does not fill the memory.
   */
  rowBytesMax: 8 * 1024 ** 2,
  /** Bytes of an upload's content after gunzip: enough for 5 GiB of text packed well, and no disk-sized bomb. */
  contentBytesMax: 64 * 1024 ** 3,
  /** Files and folders of a student's archive; characters of a path, and names in it. All of them are in memory while it is read. */
  studentEntriesMax: 10_000,
  studentPathMax: 255,
  studentPathNamesMax: 16,
  /** Its bytes after gunzip: what 5 GiB of weights may have been. */
  studentBytesMax: 16 * 1024 ** 3,
  /** Lines of an upload. A version keeps 64 bits of each of its prompts in memory while it is built: 64 MB at this bound. */
  uploadLinesMax: 5_000_000,
  /** How deep a row's JSON may nest: tool schemas reach about 20, and deeper than this a recursive reader may overflow. */
  rowDepthMax: 128,
  /** Members of objects and items of lists of a row, all together: what it costs to read and write it goes by them. */
  rowMembersMax: 10_000,
  /** Messages of a row, and characters of the strings of one message or completion (contract 15.9). */
  rowMessagesMax: 1_000,
  messageCharactersMax: 1_000_000,
  /** Bytes of rows on one page of a list; a page of large ones is shorter. */
  rowPageBytesMax: 8 * 1024 ** 2,
  /** Characters of the message about a bad line. */
  lineMessageMax: 200,
  /** Content that nothing needs is kept for so long after it was put: a resource that names it may still be written. */
  blobGraceMillis: 86_400_000,
  /** How often a server looks for such content, and how long after its start it begins: not among all that starts. */
  blobRetentionEveryMillis: 6 * 3_600_000,
  blobRetentionDelayMillis: 600_000,
  /** Contents whose references are looked for by one statement. */
  blobRetentionBatch: 100,
  /** Ready versions, of a few kilobytes each, that a process keeps of those that runs are asked for. */
  versionsKeptMax: 500,
  /** Rows written to storage in one transaction, which costs a visit to the disk; up to three batches are in memory. */
  rowBatch: 500,
  /** And their bytes: a batch of large rows is written early. */
  rowBatchBytes: 4 * 1024 ** 2,
  /** Rows, and features of all of them, that the builtin student holds in memory; above, it learns from a sample. */
  builtinRowsMax: 100_000,
  builtinFeaturesMax: 2 ** 25,
  /** What is read to tell what a version's rows are to the builtin student: a twentieth of a second. */
  censusCharacters: 2 ** 19,
  censusRows: 10_000,
  /** Labels of a closed set: a model has a weight of each feature for each of them. */
  labelsMax: 1_000,
  /** Characters of a completion that can be a label, and of one that is JSON. */
  labelCharactersMax: 100,
  jsonLabelCharactersMax: 500,
  /** Share of rows whose completions may be none of the labels. */
  oddAnswersMax: 0.05,
  /** Attempts of a stage, per start or retry (contract 5). */
  stageAttemptsMax: 3,
  /** Seconds before the second and the third attempt of a stage (contract 5). */
  stageBackoffSeconds: [5, 30],
  /**
   * Seconds before an attempt that follows lost ones: after the first lost attempt, the second, and so on. With one more than these the run
   * fails. A server that is killed every 13 seconds for four minutes costs a run 7 attempts; a run that itself ends each server
   * ends after a quarter of an hour.
   */
  lostPauseSeconds: [0, 5, 10, 20, 40, 80, 160, 300, 300],
  /** A worker that dies frees its run after this (contract 14.4, 14.18). */
  leaseMillis: 12_000,
  /** How often a worker prolongs its lease and asks whether to stop. */
  heartbeatMillis: 3_000,
  /** How often a worker looks for due work that nobody rang for. */
  pollMillis: 10_000,
  /** Of the budget, what is reserved at a time beyond what a stage asks for: most asks then cost nothing. */
  budgetQuantum: 0.02,
  /** What a million tokens of a judge cost, in micro-dollars, prompts and answers alike. */
  judgeMicrosPerMillionTokens: 1_000_000,
  /** Rows that a student of elsewhere is asked about at once. */
  studentAskedMax: 8,
  /** What it has said is kept at least this often. */
  studentKeptEveryMillis: 500,
  /** What one of its answers may take: long ones of slow servers come within it. */
  studentAnswerMillis: 120_000,
  /** Tries of one answer, in one attempt of the stage. */
  studentTriesMax: 4,
  /** Before the second of them; doubles from one to the next. */
  studentBackoffMillis: 500,
  /** Tokens that any of its answers may have; more where the teacher's has more than a quarter of that. */
  studentAnswerTokens: 1_024,
  /** Rows that it refuses and that the logs name. */
  studentRefusalsLogged: 10,
  /** Newest feedback of a name that an evaluation asks what reviewers found, calls of one external id, and those read at once. */
  reviewsMax: 2_000,
  reviewedCallsMax: 10,
  reviewsAtOnce: 8,
  /** Newest live runs that tell how estimates held: enough for a median, and one page of a list. */
  calibrationRunsMax: 100,
  /** Points of a metric series that are answered; more are thinned (contract 5). */
  metricPointsMax: 500,
  /** How long a shared report is open, in seconds: a week, unless the caller says otherwise, and a year at most. */
  shareSecondsDefault: 7 * 86_400,
  shareSecondsMax: 365 * 86_400,
  /** Records of a run that one look of a follower brings. */
  feedPage: 500,
  /** A follower looks no more often than this, however much is written. */
  feedEveryMillis: 500,
  /** How often a follower looks for records that nobody rang for. */
  feedPollMillis: 5_000,
  /** A silent stream says so this often: proxies cut what is silent for a minute. */
  feedHeartbeatMillis: 15_000,
  /** A pull from its first byte to its last, waits included: 5 GiB at 750 KB/s. */
  pullMillis: 7_200_000,
  /** The head of a remote answer, from the look-up on. */
  remoteHeadMillis: 30_000,
  /** Between two chunks of it. */
  remoteIdleMillis: 30_000,
  /** Requests in a row without a new byte before a pull fails. */
  pullTriesMax: 5,
  /** Before the second of them; doubles from one to the next. */
  pullBackoffMillis: 1_000,
  /** Broken connections in one pull, however far each of them came. */
  pullResumptionsMax: 50,
  /** How often a content that cannot be resumed is read from its first byte again. */
  pullRestartsMax: 3,
  /** How often workers take one pull up: more were lost over it than chance explains. */
  pullStartsMax: 10,
  /** Stored completions that are listed at a time, and their messages read at once. */
  pullPage: 20,
  pullRequestsMax: 4,
  /** One answer of a provider that lists stored completions: a page of them, or of the messages of one. */
  pullAnswerBytesMax: 16 * 1024 ** 2,
  /** Characters of an API key or an auth header. */
  credentialMax: 4_096,
  logLinesDefault: 200,
  logLinesMax: 1_000,
  /** Stages of a recipe as sent: more than a run has, so that the recipe's own rules say what is wrong. */
  recipeStagesMax: 16,
  /** Rewards that a recipe or its evaluation names. */
  recipeRewardsMax: 100,
  /** Characters of a rubric, or of the value that a completion must contain. */
  rewardTextMax: 10_000,
  /** Characters of a pattern: what compiles in milliseconds. */
  patternMax: 1_000,
  /** Characters of a JSON Schema as text: what compiles well under a second. */
  schemaCharactersMax: 65_536,
  /** Members of its outermost object; a schema's vocabulary has about 60. */
  schemaMembersMax: 1_000,
  /** How deep a JSON Schema may nest: two levels, `properties` and a name, for each of the row's. */
  schemaDepthMax: 256,
  /** Characters of a metadata value, and entries, by which a provider's stored completions are chosen: beyond what one keeps. */
  metadataValueMax: 2_048,
  metadataMax: 64,
  /** One answer of a tenant's scorer, from DNS to the last body byte. */
  scorerMillis: 10_000,
  /** Read of such an answer; the rest is cut. */
  scorerAnswerBytes: 65_536,
  /** A capability to have completions scored, after it was used last: its trainer's server looks more often than this. */
  scoringMillis: 3_600_000,
  /** Completions that a trainer has scored at once: the groups of a step; and those of them that judges look at together. */
  scoredMax: 64,
  judgedAtOnceMax: 8,
  /** How long one that scores waits for the budget to allow what judges may take, and how often it looks. */
  judgesAllowedMillis: 20_000,
  judgesLookMillis: 200,
  /** A judge's answers to both orders: somebody waits for them. */
  judgeMillis: 25_000
} as const
