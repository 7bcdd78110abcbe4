/** Bounds of counting tokens, each with its reason. */
export const TokenLimits = {
  /** Counted rows per version: with 500, the mean is within a few percent of all rows. */
  rowsMax: 500,
  /** Of them together, in characters: some 130,000 tokens, which take a second. */
  charactersMax: 2 ** 19,
  /** Versions and students whose counts are kept. */
  keptMax: 1_000,
  /** A proposal waits so long for a count. */
  patience: "1 minute"
} as const
