/** What rows look like together: how often each answer occurs, how long prompts are. */

import type { RowOpening } from "../large/Openings.ts"

interface Profile {
  /** The most frequent first; none where nearly every row has its own. */
  readonly labels: ReadonlyArray<{ readonly label: string; readonly of: number }>
  readonly lengths: { readonly min: number | null; readonly median: number | null; readonly max: number | null }
}

const labelsMax = 20

const labelsOf = (rows: ReadonlyArray<RowOpening>): Profile["labels"] => {
  const counts = new Map<string, number>()
  for (const { completion } of rows) counts.set(completion, (counts.get(completion) ?? 0) + 1)
  if (counts.size > rows.length / 2) return []
  return [...counts]
    .sort((left, right) => right[1] - left[1])
    .slice(0, labelsMax)
    .map(([label, times]) => ({ label, of: times / rows.length }))
}

export const profileOf = (rows: ReadonlyArray<RowOpening>): Profile => {
  const sorted = rows.map(({ characters }) => characters).sort((left, right) => left - right)
  const at = (index: number) => sorted.at(index) ?? null
  return { labels: labelsOf(rows), lengths: { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(-1) } }
}
