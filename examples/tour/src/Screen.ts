/** What the reader sees: a line per step with its duration, redrawn while it runs if this is a terminal, and a table. */

const terminal = process.stdout.isTTY === true
const write = (text: string): void => void process.stdout.write(text)
const bold = (text: string): string => (terminal ? `\x1b[1m${text}\x1b[22m` : text)
const eraseLine = "\r\x1b[2K"

const seconds = (millis: number): string => `${(millis / 1000).toFixed(2)} s`.padStart(8)

export const line = (text = ""): void => write(`${text}\n`)
export const title = (text: string): void => line(`${bold(text)}\n`)

let steps = 0

/** Reports progress of a step. */
export type ProgressPrinter = (progress: string) => void

/** Runs a step; the line ends with what `work` answers as its detail. */
export const step = async <A>(
  name: string,
  work: (tell: ProgressPrinter) => Promise<readonly [A, string]>
): Promise<A> => {
  const head = `${String(++steps).padStart(2)}. ${name}`
  const began = performance.now()
  let last = ""
  const tell: ProgressPrinter = (progress) => {
    if (progress === last) return
    last = progress
    const fits = `${head}: ${progress}`.slice(0, (process.stdout.columns || 80) - 1)
    write(terminal ? `${eraseLine}${fits}` : `    ${progress}\n`)
  }
  if (terminal) write(`${head} …`)
  try {
    const [value, detail] = await work(tell)
    write(`${terminal ? eraseLine : ""}${head.padEnd(36)}${seconds(performance.now() - began)}   ${detail}\n`)
    return value
  } catch (error) {
    write(`${terminal ? eraseLine : ""}${head.padEnd(36)}${seconds(performance.now() - began)}   did not succeed\n`)
    throw error
  }
}

/** Rows with the first row's number of columns. */
export const table = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const rule = (crossing: string) => line(widths.map((width) => "─".repeat(width + 2)).join(crossing))
  rule("┬")
  for (const row of rows)
    line(
      row
        .map((text, column) => ` ${text.padEnd(widths[column] ?? 0)} `)
        .join("│")
        .trimEnd()
    )
  rule("┴")
}
