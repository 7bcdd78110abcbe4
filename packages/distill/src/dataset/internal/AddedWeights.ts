/**
 * The weights of equal rows of calls add up: a stored row stands for the calls of all its copies (contract 16.34), as the weights
 * bring a version back to the traffic. Pure.
 */
import type { RowsFrom } from "../DatasetVersion.ts"
import type { StoredRow } from "../RowStore.ts"
import type { PreparedRow } from "./PreparedRow.ts"

/** A stored row that stands for more calls than before. */
export interface Addition extends Pick<StoredRow, "key" | "body"> {
  readonly before: number
  readonly after: number
}

const decimals = 1e4

/** Whether copies of a row count, and not the row alone: those of calls under `weights` `traffic`; a joined version is older. */
export const isCounted = (source: RowsFrom, { origin }: Pick<PreparedRow, "origin">): boolean =>
  "calls" in source && source.calls.weights !== "none" && origin !== "versions"

/** The weights of copies by key. */
export const sumsOf = (
  copies: ReadonlyArray<{ readonly key: string; readonly weight: number }>
): ReadonlyMap<string, number> => {
  const sums = new Map<string, number>()
  for (const { key, weight } of copies) sums.set(key, (sums.get(key) ?? 0) + weight)
  return sums
}

const written = ',"weight":'

/** Rows of calls end with their weight, so a long text need not be parsed. Undefined: the text is another. */
const weightIn = (body: string): { readonly at: number; readonly weight: number } | undefined => {
  const at = body.lastIndexOf(written)
  const end = body.slice(at + written.length)
  return at < 0 || !/^[\d.e+-]+\}$/u.test(end) ? undefined : { at, weight: Number(end.slice(0, -1)) }
}

/** The rows with the weights of their copies. */
export const addTo = (rows: ReadonlyArray<StoredRow>, sums: ReadonlyMap<string, number>): ReadonlyArray<Addition> =>
  rows.flatMap(({ body, key }) => {
    const found = weightIn(body)
    if (found === undefined) return []
    const after = Math.round((found.weight + (sums.get(key) ?? 0)) * decimals) / decimals
    return [{ key, before: found.weight, after, body: `${body.slice(0, found.at)}${written}${after}}` }]
  })
