/** `limbeck import`: makes rows of a log of chats, and uploads them. */
import { createWriteStream } from "node:fs"
import { access, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { entries, formatOf, type LogFormat } from "./chatLogs/ChatLog.ts"
import { type Command, CommandError } from "./Remote.ts"
import { type UploadOptions, upload } from "./Upload.ts"

export interface ImportOptions extends UploadOptions {
  /** By the name of the file by default. */
  readonly format?: LogFormat | undefined
}

/** So many mistakes are told. */
const problemsMax = 20

/** Writes the rows of the log; fails with what is wrong with its entries, since rows that are left out would not be missed. */
const convert = async (file: string, format: LogFormat, target: string): Promise<void> => {
  const problems: Array<string> = []
  async function* rows() {
    for await (const entry of entries(file, format)) {
      if ("row" in entry) yield `${JSON.stringify(entry.row)}\n`
      else if (problems.push(entry.problem) >= problemsMax) return
    }
  }
  await pipeline(Readable.from(rows()), createWriteStream(target, { mode: 0o600 }))
  if (problems.length > 0) throw new CommandError([`Nothing was sent of ${file}:`, ...problems].join("\n"))
}

export const importLog =
  ({ file, format = formatOf(file), ...options }: ImportOptions): Command =>
  async (client, output) => {
    await access(file)
    const folder = await mkdtemp(path.join(tmpdir(), "limbeck-import-"))
    try {
      const rows = path.join(folder, "rows.jsonl")
      await convert(file, format, rows)
      return await upload({ ...options, file: rows, filename: path.basename(file) })(client, output)
    } finally {
      await rm(folder, { recursive: true })
    }
  }
