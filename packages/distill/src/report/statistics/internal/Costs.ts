/** What calls cost. */

/** Micro-dollars per 1,000 calls, rounded, from the total of `calls`; undefined without calls. */
export const perThousandCalls = (micros: number, calls: number): number | undefined =>
  calls === 0 ? undefined : Math.round((micros * 1_000) / calls)
