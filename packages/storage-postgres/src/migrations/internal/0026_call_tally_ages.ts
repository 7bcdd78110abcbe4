/** An index for removing old tallies of calls, of all partitions. */
export const statements: ReadonlyArray<string> = ["CREATE INDEX call_tallies_age ON call_tallies (width, starts_at)"]
