/** An input file: a regular file, or a pipe's content in a temporary file, so that it can be read twice. */
import { createReadStream, createWriteStream } from "node:fs"
import { mkdtemp, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { pipeline } from "node:stream/promises"
import { CommandError } from "./CommandError.ts"

export interface InputFile {
  /** Path of a regular file, which can be read more than once. */
  readonly path: string
  /** What people call it. */
  readonly name: string
}

/** Names of standard input. Opening such a path fails for a socket, the standard input of a Node child process. */
const standardInput = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"])

const isRegular = async (file: string): Promise<boolean> => file !== "-" && (await stat(file)).isFile()

const checkSize = async (file: string, name: string): Promise<void> => {
  if ((await stat(file)).size === 0) throw new CommandError(`${name} is empty: nothing was sent`)
}

/** Fails when the file is missing or empty. The input exists while `use` runs. */
export const withInput = async <A>(file: string, use: (input: InputFile) => Promise<A>): Promise<A> => {
  if (await isRegular(file)) {
    await checkSize(file, file)
    return use({ path: file, name: path.basename(file) })
  }
  const folder = await mkdtemp(path.join(tmpdir(), "limbeck-input-"))
  try {
    const whole = path.join(folder, "input")
    const isStandard = standardInput.has(file)
    const source = isStandard ? process.stdin : createReadStream(file)
    await pipeline(source, createWriteStream(whole, { mode: 0o600 }))
    await checkSize(whole, isStandard ? "standard input" : file)
    return await use({ path: whole, name: isStandard ? "stdin" : path.basename(file) })
  } finally {
    await rm(folder, { recursive: true })
  }
}
