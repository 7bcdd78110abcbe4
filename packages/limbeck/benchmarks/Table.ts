/** A plain table for a terminal. */
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
  const text = [title, line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), ""].join("\n")
  process.stdout.write(`${text}\n`)
}
