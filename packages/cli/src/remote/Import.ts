/** `limbeck import`: converts a log of chats to rows and uploads them. */
import { createWriteStream } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { Client } from "@limbeck/client"
import type { Output } from "../Output.ts"
import { CommandError } from "./CommandError.ts"
import { entries, formatOf, type LogFormat } from "./chatLogs/ChatLog.ts"
import { type InputFile, withInput } from "./InputFile.ts"
import type { Command } from "./Remote.ts"
import { sendRows, type UploadOptions } from "./Upload.ts"

export interface ImportOptions extends UploadOptions {
  /** By the name of the file by default. */
  readonly format?: LogFormat | undefined
}

/** So many mistakes are told. */
const problemsMax = 20

/** Writes the rows of the log; fails on invalid entries, since nobody would notice missing rows. */
const convert = async ({ name, path: file }: InputFile, format: LogFormat, target: string): Promise<void> => {
  const problems: Array<string> = []
  let count = 0
  async function* rows() {
    for await (const entry of entries(file, format)) {
      if ("row" in entry) {
        count++
        yield `${JSON.stringify(entry.row)}\n`
      } else if (problems.push(entry.problem) >= problemsMax) return
    }
  }
  await pipeline(Readable.from(rows()), createWriteStream(target, { mode: 0o600 }))
  if (problems.length > 0) throw new CommandError([`Nothing was sent of ${name}:`, ...problems])
  if (count === 0) throw new CommandError(`${name} holds no entries: nothing was sent`)
}

const importInput = async (
  client: Client,
  output: Output,
  input: InputFile,
  { format, ...options }: { readonly format: LogFormat } & Omit<UploadOptions, "file">
): Promise<number> => {
  const folder = await mkdtemp(path.join(tmpdir(), "limbeck-import-"))
  try {
    const rows = path.join(folder, "rows.jsonl")
    await convert(input, format, rows)
    return await sendRows(client, output, { path: rows, name: input.name }, options)
  } finally {
    await rm(folder, { recursive: true })
  }
}

export const importLog =
  ({ file, format = formatOf(file), ...options }: ImportOptions): Command =>
  (client, output) =>
    withInput(file, (input) => importInput(client, output, input, { format, ...options }))
