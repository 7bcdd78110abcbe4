/** The keys of a version's rows: the digest of the content and, with copies kept, the line number. Pure. */
import type { PreparedRow, Rules } from "./PreparedRow.ts"

export const keyOf = (
  { digest }: Pick<PreparedRow, "digest">,
  { dedupe }: Pick<Rules, "dedupe">,
  line: number
): string => (dedupe === "exact" ? digest : `${digest}.${String(line).padStart(8, "0")}`)

export const digestOf = (key: string): string => key.split(".")[0]!
