/** The results as rows of a Markdown table, and the place in the docs where the table stands. */
import * as fs from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { AuditedKind } from "./Audit.ts"
import type { Result } from "./Campaign.ts"
import type { Account } from "./Ledger.ts"

const header = [
  "fault",
  "acknowledged",
  "lost",
  "doubled",
  "received again",
  "proxied calls",
  "reads",
  "writes",
  "`/healthz`"
]

const plural: Readonly<Record<AuditedKind, string>> = {
  call: "calls",
  run: "runs",
  dataset: "datasets",
  upload: "uploads",
  version: "versions",
  question: "chat questions",
  feedback: "feedback",
  change: "changes",
  event: "deliveries"
}

const writes = ["run", "dataset", "upload", "version", "question", "feedback", "change"] as const

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

/** Failed tries and the longest wait of some kinds of clients. */
const seen = (accounts: ReadonlyArray<Account>): string => {
  const failures = new Map<string, number>()
  for (const [status, count] of accounts.flatMap((account) => [...account.failures])) {
    failures.set(status, (failures.get(status) ?? 0) + count)
  }
  const told = [...failures].map(([status, count]) => `${count} × ${status === "none" ? "no answer" : status}`)
  const longest = Math.max(...accounts.map(({ longestMillis }) => longestMillis)) / 1_000
  return `${told.join(", ") || "all well"} of ${sum(accounts.map(({ attempts }) => attempts))}; ${longest.toFixed(1)} s`
}

export const row = (title: string, { audit, destroyed, ledger }: Result): ReadonlyArray<string> => {
  const counts = Object.entries(audit.counts)
  const lost = sum(counts.map(([, count]) => count.lost))
  return [
    title,
    // Its keys are what was audited.
    counts.map(([name, { acknowledged }]) => `${acknowledged} ${plural[name as AuditedKind]}`).join(", "),
    destroyed > 0 && lost > 0
      ? `${Math.max(0, lost - destroyed)} (and ${Math.min(lost, destroyed)} damaged)`
      : String(lost),
    String(sum(counts.map(([, count]) => count.doubled))),
    String(audit.receivedAgain),
    seen([ledger.call]),
    seen([ledger.read]),
    seen(writes.map((kind) => ledger[kind])),
    seen([ledger.health])
  ]
}

export const skipped = (title: string, reason: string): ReadonlyArray<string> => [
  title,
  `not measured: ${reason}`,
  ...header.slice(2).map(() => "")
]

export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n")
}

const page = fileURLToPath(new URL("../../../docs/faults.md", import.meta.url))
const place = /(<!-- faults -->\n)[\s\S]*?(\n<!-- end -->)/

/** Puts the table where the page has its old one. */
export const write = async (text: string): Promise<void> => {
  const before = await fs.readFile(page, "utf8")
  if (!place.test(before)) throw new Error(`${page} has no place for the table`)
  await fs.writeFile(
    page,
    before.replace(place, (_, begin, end) => `${begin}\n${text}\n${end}`)
  )
}
