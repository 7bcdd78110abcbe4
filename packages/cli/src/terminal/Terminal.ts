/**
 * The one place through which the program writes to standard output and standard error. Whatever is written is printable, and a
 * reader that closes its end of a pipe ends the program without a word, or as a command has asked for.
 */
import { createInterface } from "node:readline"
import * as Board from "./Board.ts"
import * as Printable from "./Printable.ts"

/** Why a command failed. */
export interface Failure {
  /** For programs; null where the failure has none. */
  readonly code: string | null
  /** For people. */
  readonly lines: ReadonlyArray<string>
  readonly requestId?: string | null | undefined
}

/** Whether the arguments contain `--json`. Other arguments may be wrong. */
export const wantsJson = (argv: ReadonlyArray<string>): boolean => {
  const end = argv.indexOf("--")
  return argv.slice(0, end === -1 ? argv.length : end).some((word) => /^--json(?:=(?:true|1|y|yes|on))?$/.test(word))
}

/** Where the program reads and writes, and for whom. */
export interface Screen {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  /** Lines of standard input. */
  readonly input: () => AsyncIterable<string>
  /** Columns of the terminal; null where standard output is none. */
  readonly width: () => number | null
  readonly isJson: boolean
}

/** A terminal that does not tell its width has the width of the first ones. */
const usualWidth = 80

let screen: Screen = {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  input: () => createInterface({ input: process.stdin }),
  width: () => (process.stdout.isTTY ? process.stdout.columns || usualWidth : null),
  isJson: wantsJson(process.argv.slice(2))
}

/** Replaces the screen of this process, and returns a function that puts it back. */
export const use = (other: Screen): (() => void) => {
  const before = screen
  screen = other
  return () => {
    screen = before
  }
}

export const isJson = (): boolean => screen.isJson

export const width = (): number | null => screen.width()

export const input = (): AsyncIterable<string> => screen.input()

/** A shell's exit code for a program ended by SIGPIPE. */
const closedPipeCode = 141

let onClosed = (): void => process.exit(closedPipeCode)

/** Calls `run` instead of ending the program when nobody reads its output any more. */
export const onReaderGone = (run: () => void): void => {
  onClosed = run
}

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") onClosed()
    else process.exit(1)
  })
}

/** One line for people. */
export const line = (text: string): void => screen.out(`${Printable.line(text)}\n`)

/** One row for programs that read columns: cells with a tab between them. */
export const row = (cells: ReadonlyArray<string>): void => screen.out(`${cells.map(Printable.line).join("\t")}\n`)

/** One value for programs. */
export const json = (value: unknown): void => screen.out(`${Printable.json(value)}\n`)

/** This program's own text of several lines, possibly coloured, such as a command's help. */
export const own = (text: string): void => screen.out(`${text}\n`)

/** Prints the failure as lines for people, or as one value with `--json`. */
export const failure = ({ code, lines, requestId = null }: Failure): void => {
  const value = { error: { code, message: lines.join("\n"), request_id: requestId } }
  const text = screen.isJson ? Printable.json(value) : lines.map(Printable.line).join("\n")
  screen.error(`${text}\n`)
}

/** Rewrites one line of a terminal. Writes nothing elsewhere, since logs keep every line. */
export const progress = (text: string, isLast: boolean): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r${Printable.line(text)}${isLast ? "\n" : ""}`)
}

/** A terminal that does not tell its height. */
const usualRows = 24

/** Draws lines in place of the previous ones. */
export const board = () => {
  let frame = Board.emptyFrame
  return {
    draw: (lines: ReadonlyArray<string>): void => {
      const size = { columns: screen.width() ?? usualWidth, rows: process.stdout.rows || usualRows }
      frame = Board.nextFrame(frame, lines.map(Printable.line), size)
      screen.out(frame.text)
    }
  }
}
