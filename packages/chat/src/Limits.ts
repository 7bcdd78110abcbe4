/** Every bound of conversations, with its reason. */
export const ChatLimits = {
  /** Characters of a caller's text: a short book, and few enough to be sent with every later question. */
  textMax: 100_000,
  /** Characters of an agent's instructions. */
  instructionsMax: 50_000,
  /** Longest session or author, in characters: both are the caller's own keys. */
  sessionMax: 255,
  authorMax: 255,
  /** Longest kind of a channel, in characters, such as `web` or `email`. */
  channelKindMax: 64,
  /** Messages that a model is shown before the question, and their characters: about 50,000 tokens. */
  historyMessagesMax: 100,
  historyCharactersMax: 200_000,
  /** Characters of an answer: about 50,000 tokens, and few enough that a page of a hundred can be sent. */
  answerTextMax: 200_000,
  /** Total time of one answer: the default timeout of a source. */
  answerMillis: 600_000,
  /** A worker, or a server with a client, that dies frees its message after this (contract 14.4). */
  leaseMillis: 12_000,
  heartbeatMillis: 3_000,
  /** How often a worker looks for due work whose doorbell was lost. */
  pollMillis: 10_000,
  /** How often a queued message checks whether earlier ones are answered, after a lost doorbell. */
  turnPollMillis: 1_000,
  /** How often a model is asked for one answer, because the worker before died: a message that kills workers ends. */
  attemptsMax: 5,
  /** Characters of a message to the assistant. */
  assistantTextMax: 20_000,
  /** Characters of a conversation with the assistant: about 100,000 tokens, which the model reads at each step. */
  assistantHistoryMax: 400_000,
  /** Characters of an operation's answer that the model reads: about 5,000 tokens. */
  assistantAnswerMax: 20_000,
  /** Characters of the title of a conversation with the assistant: its first message, cut. */
  assistantTitleMax: 80,
  /** Answers of the model to one message: a model that never stops costs no more than these. */
  assistantAnswersMax: 30,
  /** Total time of one step: a model that calls no tool answers within a minute. */
  assistantStepMillis: 180_000
} as const
