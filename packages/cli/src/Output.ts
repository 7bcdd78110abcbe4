/** What commands write to standard output: lines for people, or with `--json` one value in each line for programs. */
import * as Terminal from "./terminal/Terminal.ts"

export interface Output {
  readonly isJson: boolean
  /** A result: programs read the value, people the lines. */
  readonly result: (value: unknown, ...lines: ReadonlyArray<string>) => void
  /** What only people need. */
  readonly note: (line: string) => void
}

export const make = (isJson: boolean): Output => ({
  isJson,
  result: (value, ...lines) => {
    if (isJson) Terminal.json(value)
    else for (const line of lines) Terminal.line(line)
  },
  note: (line) => {
    if (!isJson) Terminal.line(line)
  }
})
