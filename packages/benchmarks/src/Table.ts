/** A plain table for a terminal, with its formatted figures. */
export const print = (
  title: string,
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): void => {
  const widths = header.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd()
  const text = [title, line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), ""].join("\n")
  process.stdout.write(`${text}\n`)
}

/** With the requested digits after the point; empty for a missing figure. */
export const figure = (value: number | null | undefined, digits = 0): string => value?.toFixed(digits) ?? ""

export const mebibytes = (bytes: number): string => `${figure(bytes / 2 ** 20)} MiB`

export const percent = (share: number): string => `${figure(share * 100, 1)} %`
