/** Rows whose prompt other rows answer otherwise, and what they cost any student. Pure. */
import type { DatasetVersion } from "./DatasetVersion.ts"

const none = { rows: 0, lost: 0 }

export const render = ({ contradictions: { lost, rows: contradicted } = none, rows }: DatasetVersion) => ({
  rows: contradicted,
  share: rows === 0 ? 0 : contradicted / rows,
  agreement_max: rows === 0 ? 1 : 1 - lost / rows
})

/** Fewer contradictions decide nothing. */
const tellingShare = 0.01

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`

/** For a person. */
export const warnings = (version: DatasetVersion): ReadonlyArray<string> => {
  const { agreement_max, rows, share } = render(version)
  if (share < tellingShare) return []
  return [
    `${rows} rows (${percent(share)}) have a prompt that other rows answer otherwise: a student gives one answer to each prompt, and can ` +
      `agree with ${percent(agreement_max)} of the rows at most.`
  ]
}
