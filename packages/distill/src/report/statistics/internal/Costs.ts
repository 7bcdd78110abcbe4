/** What calls cost. */

/** Micro-dollars per 1,000 calls, rounded to a whole one, from the micro-dollars of `calls` of them; undefined of none. */
export const perThousandCalls = (micros: number, calls: number): number | undefined =>
  calls === 0 ? undefined : Math.round((micros * 1_000) / calls)
