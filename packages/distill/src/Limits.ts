/** Every bound of distill, with its reason. */
export const DistillLimits = {
  /** Templates of a version: more than a person compares. */
  templatesMax: 20,
  /** Templates that a version's builder remembers at least, with texts of many kilobytes each. */
  templatesSeenMax: 500,
  /** Characters of a template's sample: enough to know the prompt. */
  templateSampleMax: 500,
  /** Options of all questions that one builtin student answers: a prediction with 4,096 takes 3 ms, with 1,000 0.7 ms. */
  decisionColumnsMax: 1_000,
  /** Maximum call ids in a version: above what a person selects in a list, and small enough for look-ups by id. */
  chosenCallsMax: 1_000,
  /** Maximum bytes of an upload's content as sent (contract 6). */
  uploadBytesMax: 5 * 1024 ** 3,
  /** An upload without content expires after this (contract 6). */
  uploadExpiryMillis: 24 * 3_600_000,
  /** Maximum requests for one upload's content: 5 GiB in parts of 5 MiB, or a connection that breaks at every part. */
  uploadPartsMax: 1_000,
  /** Heartbeat of a receiving server; after this silence it counts as dead (contract 14.4). */
  arrivalBeatMillis: 3_000,
  arrivalSilenceMillis: 9_000,
  /** Layers that a recipe names for an adapter: a block of a transformer has about ten kinds. */
  targetModulesMax: 64,
  /** Characters of a name: filename, dataset. */
  nameMax: 255,
  /** Bad lines that an upload names; the rest is counted (contract 6). */
  uploadErrorsMax: 50,
  /**
   * Longest line of an upload: two messages of the largest size fit, with any characters. A row is in memory several times
   * while it is read, redacted and stored: a row of this size takes about 75 MB, and a file without newlines does not fill
   * the memory.
   */
  rowBytesMax: 8 * 1024 ** 2,
  /** Bytes of an upload's content after gunzip: enough for 5 GiB of text packed well, and no disk-sized bomb. */
  contentBytesMax: 64 * 1024 ** 3,
  /**
   * Maximum files and folders of a student's archive; characters of a path, and names in it. All are in memory during
   * reading.
   */
  studentEntriesMax: 10_000,
  studentPathMax: 255,
  studentPathNamesMax: 16,
  /** Its bytes after gunzip: what 5 GiB of weights may have been. */
  studentBytesMax: 16 * 1024 ** 3,
  /** Maximum lines of an upload. Building a version keeps 64 bits of each prompt in memory: 64 MB at this bound. */
  uploadLinesMax: 5_000_000,
  /** How deep a row's JSON may nest: tool schemas reach about 20, and deeper than this a recursive reader may overflow. */
  rowDepthMax: 128,
  /** Maximum members and items of a row in total: they determine the cost of reading and writing it. */
  rowMembersMax: 10_000,
  /** Maximum messages of a row, and characters of the strings in one message or completion (contract 15.9). */
  rowMessagesMax: 1_000,
  messageCharactersMax: 1_000_000,
  /** Maximum bytes of rows on one page of a list; a page of large rows is shorter. */
  rowPageBytesMax: 8 * 1024 ** 2,
  /** Characters of the message about a bad line. */
  lineMessageMax: 200,
  /** Unreferenced content is kept this long after its put: its reference may still be about to be written. */
  blobGraceMillis: 86_400_000,
  /** How often a server looks for such content, and how long after its start it begins: not among all that starts. */
  blobRetentionEveryMillis: 6 * 3_600_000,
  blobRetentionDelayMillis: 600_000,
  /** Contents checked for references per statement. */
  blobRetentionBatch: 100,
  /** Maximum cached ready versions, of a few kilobytes each, per process. */
  versionsKeptMax: 500,
  /** Rows written to storage in one transaction, which costs a visit to the disk; up to three batches are in memory. */
  rowBatch: 500,
  /** Maximum bytes of a batch: a batch of large rows is written early. */
  rowBatchBytes: 4 * 1024 ** 2,
  /** Maximum rows and features that the builtin student holds in memory; beyond, it learns from a sample. */
  builtinRowsMax: 100_000,
  builtinFeaturesMax: 2 ** 25,
  /** Maximum train rows that an embedding student learns from: an even sample of the version, and the bound of its trials. */
  embeddedRowsMax: 20_000,
  /** Maximum numbers of all embeddings of a training: 64 MB, held some four times. Rows beyond them are left out. */
  embeddedNumbersMax: 2 ** 24,
  /** Maximum characters of an embedded text, of some 2,000 tokens: most embedding models read so many or fewer. */
  embeddedCharactersMax: 8_192,
  /** Maximum texts and characters of one request for embeddings: an answer of 32 embeddings has up to 3 MB. */
  embeddedTextsMax: 32,
  embeddedBatchCharactersMax: 65_536,
  /** Texts that an evaluation embeds one by one to measure latency: enough for a p95, in a few seconds. */
  embeddedAloneTexts: 32,
  /** Dimensions that an estimate takes embeddings to have. */
  embeddedDimensionsAssumed: 1_024,
  /** Text read for a version's census: a twentieth of a second. */
  censusCharacters: 2 ** 19,
  censusRows: 10_000,
  /** Maximum labels of a closed set: a model has a weight per feature and label. */
  labelsMax: 1_000,
  /** Longest completion that can be a label, in characters, as text and as JSON. */
  labelCharactersMax: 100,
  /** Maximum fields of answers in a profile; answers with more are maps with names of their own. */
  profiledFieldsMax: 64,
  /** Maximum different values of a field that a profile counts, of at most 100 characters: some 60 MB for all fields. */
  fieldValuesMax: 4_096,
  jsonLabelCharactersMax: 500,
  /** Maximum share of rows without a label. */
  oddAnswersMax: 0.05,
  /**
   * Questions that a version lists, those with the most rows: a student has about 1,000 columns. Characters of a listed question, and
   * its names that are counted: 64 MB of texts in memory at these bounds.
   */
  questionsMax: 1_000,
  questionCharactersMax: 32_768,
  questionNamesMax: 100,
  /** Feedback of a name read for the true answers of a version's decisions, or in search of reviews, and on one page: some tens of megabytes in memory. */
  feedbackReadMax: 100_000,
  feedbackPage: 500,
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
  /** Part of the budget reserved ahead of a stage's request: most requests then cost nothing. */
  budgetQuantum: 0.02,
  /** Hosted models that one evaluation asks beside its student (contract 16.13); and characters of the instructions of one. */
  candidatesMax: 8,
  candidateInstructionsMax: 20_000,
  /** Prompts that several rows share, for the comparison of their answers; some 20 MB. */
  repeatedPromptsMax: 100_000,
  /** Suspects of a version that are kept: a tenth of the largest training. */
  suspectsMax: 10_000,
  /** Similar rows of a suspect, for the first suspects: what a person looks through. A pass over all features each, within so many steps, about half a second. */
  suspectNeighbours: 3,
  suspectsWithNeighbours: 100,
  suspectNeighbourSteps: 2 ** 28,
  /** Characters shown of a neighbour's last message. */
  suspectNeighbourCharacters: 300,
  /** Suspects asked about concurrently: a crash has as many calls in flight, which are counted and asked again. */
  relabelAskedMax: 4,
  /** Suspects stored at once. */
  suspectsBatch: 200,
  /** Default number of holdout rows per evaluation: enough to estimate a share within one point. */
  evaluatedRowsMax: 10_000,
  /** Holdout rows per proposal for a language model, at seconds per row: enough to estimate a share within five points. */
  proposedSampleMax: 500,
  /** Rows that an evaluation asks the teacher again at most, and by default: enough to tell 2 points (contract 16.32). */
  teacherRepeatsMax: 1_000,
  teacherRepeats: 200,
  /** Questions of one such request for decisions: as many as OpenAI takes. */
  repeatedQuestionsMax: 400,
  /** Part of the budget that a default number of these leaves for the stages after the evaluation. */
  teacherRepeatsLeave: 0.1,
  /** A teacher that answers none of so many rows is not asked about the others. */
  teacherRepeatsFailures: 8,
  /** What a million tokens of a judge cost, in micro-dollars, prompts and answers alike. */
  judgeMicrosPerMillionTokens: 1_000_000,
  /** Rows asked concurrently of an external student. */
  studentAskedMax: 8,
  /** Interval of storing its answers. */
  studentKeptEveryMillis: 500,
  /** Timeout of one answer: enough for long answers of slow servers. */
  studentAnswerMillis: 120_000,
  /** Tries per answer in one attempt of the stage. */
  studentTriesMax: 4,
  /** Before the second of them; doubles from one to the next. */
  studentBackoffMillis: 500,
  /** Token limit of its answers; higher if the teacher's answer has more than a quarter of it. */
  studentAnswerTokens: 1_024,
  /** Refused rows named in the logs. */
  studentRefusalsLogged: 10,
  /** Newest feedback of a name taken for reviews, calls per external id, and concurrent reads. */
  reviewsMax: 2_000,
  reviewedCallsMax: 10,
  reviewsAtOnce: 8,
  /** Newest live runs that tell how estimates held: enough for a median, and one page of a list. */
  calibrationRunsMax: 100,
  /** Maximum points of a metric series in a response; more are thinned (contract 5). */
  metricPointsMax: 500,
  /** How long a shared report is open, in seconds: a week, unless the caller says otherwise, and a year at most. */
  shareSecondsDefault: 7 * 86_400,
  shareSecondsMax: 365 * 86_400,
  /** Records per read of a follower. */
  feedPage: 500,
  /** A follower looks no more often than this, however much is written. */
  feedEveryMillis: 500,
  /** How often a follower looks for records that nobody rang for. */
  feedPollMillis: 5_000,
  /** Interval of comments in a silent stream: proxies cut connections silent for a minute. */
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
  /** Maximum broken connections in one pull, regardless of progress. */
  pullResumptionsMax: 50,
  /** How often a content that cannot be resumed is read from its first byte again. */
  pullRestartsMax: 3,
  /** Maximum worker starts of one pull: more losses have a cause beyond chance. */
  pullStartsMax: 10,
  /** Stored completions that are listed at a time, and their messages read at once. */
  pullPage: 20,
  pullRequestsMax: 4,
  /** Maximum response of a provider's list of stored completions: a page of completions, or of one's messages. */
  pullAnswerBytesMax: 16 * 1024 ** 2,
  /** Characters of an API key or an auth header. */
  credentialMax: 4_096,
  /** Captured calls whose prompts teach a builtin student words: a scan of so many is a small part of a training. */
  unlabelledCallsMax: 50_000,
  /** Of their bodies together, in characters: what is read in seconds. */
  unlabelledCharactersMax: 2 ** 26,
  logLinesDefault: 200,
  logLinesMax: 1_000,
  /** Stages of a recipe as sent: more than a run has, so that the recipe's own rules give the error. */
  recipeStagesMax: 16,
  /** Rewards that a recipe or its evaluation names. */
  recipeRewardsMax: 100,
  /** Longest rubric, or required value, in characters. */
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
  /** Completions scored in one request: the groups of a step; and how many judges score concurrently. */
  scoredMax: 64,
  judgedAtOnceMax: 8,
  /** How long one that scores waits for the budget to allow what judges may take, and how often it looks. */
  judgesAllowedMillis: 20_000,
  judgesLookMillis: 200,
  /** A judge's answers to both orders: somebody waits for them. */
  judgeMillis: 25_000
} as const
