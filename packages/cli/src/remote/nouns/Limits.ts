/** Bounds of commands that ask for lists, with their reasons. */
export const WatchLimits = {
  /** How often `--watch` and `logs tail` ask: people see a change within 2 s, and a token's rate limit is hardly used. */
  pollMillis: 2_000,
  /** The largest page of the API. */
  pageMax: 100,
  /** Items of a list without `--limit`: what a person reads. */
  listed: 50,
  /** Ids that `logs tail` remembers: several pages, since a call that lasted long arrives after shorter ones. */
  tailedMax: 1_000
} as const
