/** What commands tell on standard output: lines for people, or with `--json` one value in each line for programs. */

export interface Output {
  readonly isJson: boolean
  /** A result: programs read the value, people the lines. */
  readonly result: (value: unknown, ...lines: ReadonlyArray<string>) => void
  /** What only people need. */
  readonly note: (line: string) => void
}

const write = (line: string): void => void process.stdout.write(`${line}\n`)

export const make = (isJson: boolean): Output => ({
  isJson,
  result: (value, ...lines) => {
    if (isJson) write(JSON.stringify(value))
    else for (const line of lines) write(line)
  },
  note: (line) => {
    if (!isJson) write(line)
  }
})
