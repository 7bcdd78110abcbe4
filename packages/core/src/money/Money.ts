/** Money: US dollars on the wire, as a number with at most 6 decimals; whole micro-dollars inside (contract 1). */

/** The accepted input of `fromUsd`, for an error message. */
export const wording = `US dollars, at most ${Math.floor(Number.MAX_SAFE_INTEGER / 1e6)}, with at most 6 decimals`

/** Whole micro-dollars; undefined when the number has more than 6 decimals or does not fit. */
export const fromUsd = (usd: number): number | undefined => {
  const micros = Math.round(usd * 1e6)
  return Number.isSafeInteger(micros) && micros / 1e6 === usd ? micros : undefined
}

export const toUsd = (micros: number): number => micros / 1e6
