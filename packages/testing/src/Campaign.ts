/** Campaigns: tests whose proof grows with the number of its cases, such as kills, rows or clients. */

/** Whether this is `npm run campaigns`. */
export const isWhole = process.env["CAMPAIGNS"] === "whole"

/**
 * The number of cases: `sample` in `npm test`, `whole` in `npm run campaigns`.
 *
 * @example
 * const kills = caseCount(3, 100)
 */
export const caseCount = (sample: number, whole: number): number => (isWhole ? whole : sample)
