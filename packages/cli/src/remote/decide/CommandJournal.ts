/**
 * The journal of a command beside its output, as JSON Lines: that a row is about to be asked, and its answer. A killed
 * command continues from its journal. A line that was cut off by a crash is left out.
 */
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from "node:fs"
import { CommandError } from "../CommandError.ts"

/** What the journal is of: another file, other questions or another model have another one. */
export interface JournalHead {
  /** A random name, which makes the external ids of this command's calls. */
  readonly id: string
  readonly madeOf: string
}

interface AnsweredRow {
  readonly row: number
  readonly answers: unknown
  readonly servedBy: string
  /** Null without a cost limit, or without a known price. */
  readonly costUsd: number | null
}

export interface CommandJournal {
  readonly id: string
  readonly answered: ReadonlyMap<number, AnsweredRow>
  /** Rows that were about to be asked, and have no answer here. */
  readonly asked: ReadonlySet<number>
  readonly ask: (row: number) => void
  readonly answer: (answered: AnsweredRow) => void
  readonly close: () => void
  /** After the output is written. */
  readonly remove: () => void
}

const parsed = (line: string): Record<string, unknown> => {
  try {
    return Object(JSON.parse(line))
  } catch {
    return {}
  }
}

const headOf = (lines: ReadonlyArray<string>): JournalHead | undefined => {
  const { id, madeOf } = parsed(lines[0] ?? "")
  return typeof id === "string" && typeof madeOf === "string" ? { id, madeOf } : undefined
}

export const open = (file: string, fresh: JournalHead): CommandJournal => {
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : []
  const known = headOf(lines)
  if (known !== undefined && known.madeOf !== fresh.madeOf) {
    throw new CommandError(
      `${file} is the journal of another file, of other questions or of another model: remove it, or name another --output`
    )
  }
  const head = known ?? fresh
  const answered = new Map<number, AnsweredRow>()
  const asked = new Set<number>()
  for (const line of known === undefined ? [] : lines.slice(1)) {
    const { answers, costUsd, row, servedBy } = parsed(line)
    if (typeof row !== "number") continue
    if (answers === undefined) asked.add(row)
    else {
      const cost = typeof costUsd === "number" ? costUsd : null
      answered.set(row, { row, answers, servedBy: String(servedBy), costUsd: cost })
      asked.delete(row)
    }
  }
  const descriptor = openSync(file, known === undefined ? "w" : "a", 0o600)
  const write = (value: object) => void writeSync(descriptor, `${JSON.stringify(value)}\n`)
  // Ends a cut line, so that the next line is whole.
  if (known === undefined) write(head)
  else writeSync(descriptor, "\n")
  return {
    id: head.id,
    answered,
    asked,
    ask: (row) => write({ row }),
    answer: (one) => {
      answered.set(one.row, one)
      write(one)
    },
    close: () => closeSync(descriptor),
    remove: () => rmSync(file, { force: true })
  }
}
