/** Frames of lines on a terminal, each drawn in the place of the previous one. Pure. */
import { fitted } from "./Cells.ts"

const escape = "\u001b["

export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

export interface Frame {
  readonly text: string
  /** Its lines, from which the next frame goes back. */
  readonly height: number
}

export const emptyFrame: Frame = { text: "", height: 0 }

/** Draws only the last lines that fit: the cursor cannot return to a line above the screen. */
export const nextFrame = (previous: Frame, lines: ReadonlyArray<string>, { columns, rows }: TerminalSize): Frame => {
  // The cursor stands on a row below the frame.
  const shown = lines.slice(-Math.max(1, rows - 1)).map((line) => `${fitted(line, columns)}\n`)
  const back = previous.height === 0 ? "" : `${escape}${previous.height}A`
  return { text: `${back}\r${escape}J${shown.join("")}`, height: shown.length }
}
