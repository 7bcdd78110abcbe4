/** Every bound of sources and captured calls, with its reason. */
export const CaptureLimits = {
  /** Characters of a source's name: it is typed into a header. */
  sourceNameMax: 64,
  /** Characters of a provider's key; signed tokens of some providers reach 2,000. */
  apiKeyMax: 4_096,
  /** A shorter key does not show its last four characters: they would be too much of it. */
  apiKeyShownFrom: 8,
  /** Fallbacks of a source: each may take the source's whole timeout while the client waits. */
  fallbacksMax: 4,
  /** Retries of a source, for the same reason. */
  retriesMax: 3,
  /** Models that a source names. */
  modelsMax: 1_000,
  modelIdMax: 255,
  /** Largest output limit of a model, in tokens: more than any model writes. */
  modelTokensMax: 100_000_000,
  /** The default timeout of a source: that of the usual clients, for models with long reasoning. */
  timeoutMillis: 600_000,
  timeoutMillisMax: 3_600_000,
  /** The longest that a verification takes: a person waits for it. */
  verifyMillis: 10_000,
  /** The limit in test mode, where failures wait for it: long enough for a provider's list of models, short enough for a person. */
  verifyTestMillis: 5_000,
  /** Maximum bytes of a response read here instead of passed on: a catalog, a judge's text. */
  answerBytesMax: 4 * 1024 ** 2,
  /** Maximum numbers of an embedding; those of common models have 384 to 4,096. */
  embeddingDimensionsMax: 4_096,
  /** Tokens that a call is taken to answer with at most where neither its request nor its model sets a limit. */
  outputTokensAssumed: 4_096,
  /** Assumed tokens of input by reference, such as an earlier response: a usual model's context. */
  referredTokensAssumed: 128_000,
  /** How long an upstream's catalog is cached. */
  catalogMillis: 60_000,
  /** Upstream catalogs kept at once. */
  catalogsMax: 1_000,
  /**
   * Unpacked bytes of a packed answer in storage, because a few bytes may stand for gigabytes. Equal to the bound of a
   * plain answer.
   */
  unpackedBytesMax: 16 * 1024 ** 2,
  /** Nested codings of one body. Servers use one, and a body may unpack to itself without end. */
  codingsMax: 3,
  /** Maximum names read from a Content-Encoding. */
  codingNamesMax: 16,
  /** Bytes of an answer that are captured; what follows passes, and is not kept. No less than a request may have. */
  capturedBytesMax: 16 * 1024 ** 2,
  /**
   * Maximum stored bytes of a request, and of an answer; longer bodies are cut. Both together stay far below a database
   * message's limit of 64 MiB.
   */
  storedBodyBytesMax: 16 * 1024 ** 2,
  /** Maximum bytes of a body parsed for storage: some milliseconds. Only a few members of a longer body are read. */
  parsedBytesMax: 256 * 1024,
  /** Memory for all answers under way; the overflow goes to the journal's disk. */
  tapesHeldBytesMax: 64 * 1024 ** 2,
  /** Bytes kept of an answer cut for room, without such a disk. */
  tapeCutBytes: 64 * 1024,
  /**
   * Distinct pairs of source and model in metrics; further ones are counted as `other`. With a few responders each, they make some
   * thousand series, which Prometheus reads at each scrape.
   */
  meteredModelsMax: 100,
  /** A batch of captured calls for storage: one statement, a share of memory, a wait that nobody notices. */
  captureBatchMax: 500,
  captureBatchBytesMax: 8 * 1024 ** 2,
  captureLingerMillis: 200,
  /**
   * A deployment whose calls were stored is due for a review at the next multiple of this: often enough for a person, and once
   * for the batches in between.
   */
  deploymentReviewMillis: 5_000,
  /** The wait after storage failed, which doubles up to the second. */
  captureRetryMillis: 100,
  captureRetryMillisMax: 2_000,
  /** The buffer of records without a journal: some seconds of a busy server. */
  captureBufferMax: 20_000,
  captureBufferBytesMax: 64 * 1024 ** 2,
  /** How long a stopping process waits until buffered calls are stored, out of 10 s in all. */
  bufferFlushMillis: 5_000,
  /** The same interval for calls in the journal, which are safe on disk meanwhile. */
  journalFlushMillis: 1_000,
  /** A call is stored a moment after its answer: a call younger than this may still be on its way. */
  callArrivalMillis: 900_000,
  /** Maximum nesting of JSON shown as JSON; deeper JSON is shown as text, because writing it would exceed the stack. */
  shownDepthMax: 1_000,
  /** Maximum members and items of a request, and of an answer, for a row; an answer with logprobs has tens of thousands. */
  learntMembersMax: 100_000,
  /** A call made so lately, by the time of its id, may wait in a journal: feedback on it is taken (contract 15.11). */
  feedbackEarlyMillis: 3_600_000,
  /** Feedback without a call is dropped after this. */
  feedbackUnjoinedMillis: 24 * 3_600_000,
  /** Longest search text, in characters. */
  searchTextMax: 256,
  /** Calls and bytes scanned for one page of a search: some tens of milliseconds in the database and here. */
  searchedCallsMax: 1_000,
  searchedBytesMax: 8 * 1024 ** 2,
  /** Calls read at once during a search. */
  searchedAtOnce: 100,
  /** Bytes of requests and answers on one page of calls; a page of large calls is shorter. */
  callPageBytesMax: 8 * 1024 ** 2,
  /** Intervals of one request for metrics: a month of hours, two years of days. */
  metricIntervalsMax: 800,
  /** Groups of all intervals of such a request together: some megabytes of response. Clients name models as they like. */
  metricRowsMax: 20_000,
  /** Days for which metrics keep hours: a quarter, since hours take 24 times the rows of days. More than the 800 hours of one request. */
  metricHoursKeptDays: 92,
  /**
   * Days for which metrics keep days: three years, to compare a month with the same one of the years before. More than the 800
   * days of one request.
   */
  metricDaysKeptDays: 1_100,
  /** Feedback shown with a call. */
  feedbackShownMax: 100,
  /** Longest name of a feedback, such as `quality`, and longest comment, in characters. */
  feedbackNameMax: 64,
  commentMax: 4_000,
  /** Characters of a question's id or name in feedback, and the newest calls of an external id in which it is looked for. */
  questionNameMax: 1_000,
  questionCallsMax: 10,
  /** Installations that a call may come through: more than anybody has in a row, and few enough to end a loop at once. */
  proxiesMax: 8,
  /** Tags of a call, and their characters (service-api 8, contract 7). */
  tagsMax: 16,
  tagMax: 64,
  externalIdMax: 255
} as const
