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
  /** Tokens that a model is said to write at most: more than any does. */
  modelTokensMax: 100_000_000,
  /** The default timeout of a source: as long as that of the usual clients, for models that think before they answer. */
  timeoutMillis: 600_000,
  timeoutMillisMax: 3_600_000,
  /** The longest that a verification takes: a person waits for it. */
  verifyMillis: 10_000,
  /** The limit in test mode, where failures wait for it: long enough for a provider's list of models, short enough for a person. */
  verifyTestMillis: 5_000,
  /** Bytes of an answer that is read here and not passed on: a catalog, a judge's words. */
  answerBytesMax: 4 * 1024 ** 2,
  /** Tokens that a call is taken to answer with at most where neither its request nor its model sets a limit. */
  outputTokensAssumed: 4_096,
  /** Tokens of an input that a request only names, such as an earlier response: as many as the context of usual models holds. */
  referredTokensAssumed: 128_000,
  /** How long a catalog that was read from an upstream is cached. */
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
  /** Names that are read of a Content-Encoding. */
  codingNamesMax: 16,
  /** Bytes of an answer that are captured; what follows passes, and is not kept. No less than a request may have. */
  capturedBytesMax: 16 * 1024 ** 2,
  /**
   * Bytes of a request, and of an answer, as they are stored; what is longer is cut. Both together are far below the 64 MiB
   * that one message of a database may have.
   */
  storedBodyBytesMax: 16 * 1024 ** 2,
  /** Bytes of a body that is parsed when it is stored: some milliseconds. Of a longer one only a few members are read. */
  parsedBytesMax: 256 * 1024,
  /** Bytes of all answers under way that are in memory; what is more goes to the disk of the journal. */
  tapesHeldBytesMax: 64 * 1024 ** 2,
  /** What is kept of an answer that is cut to make room, where there is no such disk. */
  tapeCutBytes: 64 * 1024,
  /** A batch of captured calls on its way to storage: one statement, a share of memory, a wait that nobody notices. */
  captureBatchMax: 500,
  captureBatchBytesMax: 8 * 1024 ** 2,
  captureLingerMillis: 200,
  /** The wait after storage failed, which doubles up to the second. */
  captureRetryMillis: 100,
  captureRetryMillisMax: 2_000,
  /** The buffer of records where there is no journal: some seconds of a busy server. */
  captureBufferMax: 20_000,
  captureBufferBytesMax: 64 * 1024 ** 2,
  /** How long the end of a process waits until buffered calls are stored, of the 10 s that it has in all. */
  bufferFlushMillis: 5_000,
  /** The same interval for calls in the journal, which are safe on disk meanwhile. */
  journalFlushMillis: 1_000,
  /** A call is stored a moment after its answer: one that began so lately may still be on its way. */
  callArrivalMillis: 900_000,
  /** How deep JSON may nest that is shown as such, and not as its text: what nests deeper than the stack cannot be written. */
  shownDepthMax: 1_000,
  /** Members and items of a request, and of an answer, that a row is made of; what comes with logprobs has tens of thousands. */
  learntMembersMax: 100_000,
  /** A call made so lately, by the time of its id, may wait in a journal: feedback on it is taken (contract 15.11). */
  feedbackEarlyMillis: 3_600_000,
  /** Feedback on a call that never came is dropped after this. */
  feedbackUnjoinedMillis: 24 * 3_600_000,
  /** Characters of a text that calls are searched for. */
  searchTextMax: 256,
  /** Calls, and bytes of them, that one page of a search looks through: some tens of milliseconds of the database and as many here. */
  searchedCallsMax: 1_000,
  searchedBytesMax: 8 * 1024 ** 2,
  /** Calls of them that are read at once. */
  searchedAtOnce: 100,
  /** Bytes of requests and answers on one page of calls; a page of large ones is shorter. */
  callPageBytesMax: 8 * 1024 ** 2,
  /** The feedback that is shown with a call. */
  feedbackShownMax: 100,
  /** Characters of what a feedback is about, such as `quality`, and of what a person says beside it. */
  feedbackNameMax: 64,
  commentMax: 4_000,
  /** Installations that a call may come through: more than anybody has in a row, and few enough to end a loop at once. */
  proxiesMax: 8,
  /** Tags of a call, and their characters (service-api 8, contract 7). */
  tagsMax: 16,
  tagMax: 64,
  externalIdMax: 255
} as const
