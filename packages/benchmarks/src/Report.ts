/** The table of `all`, as Markdown and as JSON. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Machine } from "./Machine.ts"
import type { Line, Spread } from "./Rounds.ts"
import * as Table from "./Table.ts"

export interface Report {
  readonly machine: Machine
  readonly clients: number
  readonly seconds: number
  readonly rounds: number
  /** Maximum rounds, of which the steady ones count. */
  readonly roundsMax: number
  /** The stolen share of the processors' time; null if unknown. */
  readonly steal: number | null
  readonly lines: ReadonlyArray<Line>
}

const spread = ({ least, median, most }: Spread, digits: number): string =>
  `${Table.figure(median, digits)} (${Table.figure(least, digits)}–${Table.figure(most, digits)})`

const row = (cells: ReadonlyArray<string>): string => `| ${cells.join(" | ")} |`

const header = ["operation", "per second", "rate / bare", "CPU µs each, with Postgres", "CPU / bare"]

const told = ({ clients, machine, rounds, roundsMax, seconds, steal }: Report): string =>
  [
    `${rounds} rounds of ${seconds} s each (of at most ${roundsMax}: those between which the bare line of the group held still), ${clients} clients, durable commits`,
    `Node ${machine.node}, Postgres ${Math.floor(machine.postgres / 10_000)}.${machine.postgres % 10_000}`,
    `${machine.cores} × ${machine.processor}, ${machine.memoryMebibytes} MiB`,
    `steal ${steal === null ? "unknown" : Table.percent(steal)}`,
    `commit ${machine.commit}`
  ].join("; ")

export const markdown = (report: Report): string =>
  [
    `${told(report)}. Medians, and in parentheses the least and the most.`,
    "",
    row(header),
    row(header.map((_, index) => (index === 0 ? "---" : "---:"))),
    ...report.lines.map((line) =>
      row([
        line.name,
        spread(line.perSecond, 0),
        spread(line.rateToBare, 2),
        spread(line.cpuMicrosEach, 0),
        spread(line.cpuToBare, 1)
      ])
    )
  ].join("\n")

const [begin, end] = ["<!-- made by npm run bench -- all -->", "<!-- end -->"]

/** Puts the table between its marks in `benchmarks.md` of the folder, if the page is there, and the figures beside it. */
export const write = async (folder: string, report: Report): Promise<void> => {
  await fs.mkdir(folder, { recursive: true })
  await fs.writeFile(path.join(folder, "benchmarks.json"), `${JSON.stringify(report, null, 2)}\n`)
  const page = path.join(folder, "benchmarks.md")
  const text = await fs.readFile(page, "utf8").catch(() => `# Benchmarks\n\n${begin}\n${end}\n`)
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table: ${begin} … ${end}`)
  await fs.writeFile(page, `${text.slice(0, from)}${begin}\n\n${markdown(report)}\n\n${text.slice(to)}`)
}
