/** Follows a file that somebody else appends to. */
import * as fs from "node:fs/promises"
import type { StageFailure } from "@limbeck/distill/run/Executor"
import * as Effect from "effect/Effect"
import { io } from "./Files.ts"
import { ProcessLimits } from "./Limits.ts"
import * as Lines from "./Lines.ts"
import { privateFile } from "./PrivateModes.ts"

export interface Tail {
  /** Reads new lines, up to a bound; `isMore` means that another read may return more at once. */
  readonly read: Effect.Effect<{ readonly lines: ReadonlyArray<Lines.Line>; readonly isMore: boolean }, StageFailure>
  /** The unfinished last line, after the writer has exited. */
  readonly rest: () => ReadonlyArray<Lines.Line>
}

/** Creates a missing file, because its writer may be about to open it. */
const readAt = async (file: string, buffer: Uint8Array, position: number): Promise<number> => {
  const handle = await fs.open(file, "a+", privateFile)
  try {
    return (await handle.read(buffer, 0, buffer.length, position)).bytesRead
  } finally {
    await handle.close()
  }
}

/** The file is opened for each read: what another machine has written to a shared folder is seen from an opening on. */
export const make = (file: string, offset: number, bytesMax: number): Tail => {
  const reader = Lines.make(offset, bytesMax)
  const buffer = new Uint8Array(ProcessLimits.readBytes)
  let position = offset
  return {
    read: Effect.map(
      io(() => readAt(file, buffer, position)),
      (bytesRead) => {
        position += bytesRead
        return { lines: reader.push(buffer.subarray(0, bytesRead)), isMore: bytesRead > 0 }
      }
    ),
    rest: reader.rest
  }
}

/**
 * Reads new lines of both outputs. Reads standard error last, so that it contains everything the trainer wrote there
 * before a line of its standard output.
 */
export const readBoth = Effect.fnUntraced(function* (stdout: Tail, stderr: Tail) {
  const out = yield* stdout.read
  const err = yield* stderr.read
  return { out: out.lines, err: err.lines, isMore: out.isMore || err.isMore }
})
