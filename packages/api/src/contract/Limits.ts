/** Every bound of request bodies that is none of a service's own, with its reason. */
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
  /** Entries of `enabled_events` as sent: duplicates are folded, and 100 are left at most (contract 8). */
  enabledEventsSentMax: 1_000,
  /** Characters of one of them: longer than any event type of ours, with room for those of hosts. */
  eventPatternMax: 255,
  /** Characters of a dated version. */
  apiVersionMax: 32,
  /** Kinds of what a version redacts: more than there are. */
  redactionsMax: 16,
  /** Members of a connector's configuration: more than any kind has. */
  configMembersMax: 32,
  /** Characters of what a link signs in by, of which ours have 43: what is longer is not worth a digest. */
  signInLinkMax: 512
} as const
