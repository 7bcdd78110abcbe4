/** Every bound of request bodies outside the services' own, with its reason. */
export const Limits = {
  /** Characters of a name of a person's: what fits on a line. */
  nameMax: 200,
  /** Characters of a description: a paragraph or two. */
  descriptionMax: 1_000,
  /** Characters of a filename, as file systems have it. */
  filenameMax: 255,
  /** Characters of a SHA-256 as text. */
  sha256Max: 64,
  /** Entries of `scopes` (contract 15.9): more than there are. */
  scopesMax: 64,
  /** Maximum entries of `enabled_events` as sent: after removing duplicates at most 100 remain (contract 8). */
  enabledEventsSentMax: 1_000,
  /** Longest entry, in characters: longer than our event types, with room for hosts'. */
  eventPatternMax: 255,
  /** Characters of a dated version. */
  apiVersionMax: 32,
  /** Kinds of what a version redacts: more than there are. */
  redactionsMax: 16,
  /** Versions that one version joins: a year of monthly retraining, and some. */
  joinedVersionsMax: 20,
  /** Members of a connector's configuration: more than any kind has. */
  configMembersMax: 32,
  /** Longest secret of a sign-in link, in characters; ours have 43: longer ones are not worth a digest. */
  signInLinkMax: 512
} as const
