/** `limbeck upload`: sends a file of rows, resumes where it was cut off, and makes a version of it. */
import { openAsBlob } from "node:fs"
import { access } from "node:fs/promises"
import * as path from "node:path"
import type { Client, Content, Upload } from "@limbeck/client"
import { say } from "./Remote.ts"

export interface UploadOptions {
  readonly file: string
  /** The id of an upload that was cut off. */
  readonly resume?: string | undefined
  /** The name of a new dataset, whose first version is made of the rows. */
  readonly dataset?: string | undefined
}

/** On a terminal one line that is written anew; elsewhere nothing, since logs keep every line. */
const showProgress = ({ sentBytes, totalBytes }: { readonly sentBytes: number; readonly totalBytes: number }) => {
  if (!process.stderr.isTTY) return
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * sentBytes) / totalBytes)
  process.stderr.write(`\r${percent} % of ${totalBytes} bytes${sentBytes === totalBytes ? "\n" : ""}`)
}

const sent = async (client: Client, content: Content, { file, resume }: UploadOptions): Promise<Upload> => {
  const options = { onProgress: showProgress }
  if (resume !== undefined) return client.uploads.resume(resume, content, options)
  const { id } = await client.uploads.create({ filename: path.basename(file), format: "chat_jsonl" })
  // Said first: whoever is cut off resumes by it.
  say(id)
  return client.uploads.resume(id, content, options)
}

const versionOf = async (client: Client, upload: string, name: string): Promise<number> => {
  const dataset = await client.datasets.create({ name })
  const { id } = await client.datasetVersions.create(dataset.id, { from: { upload } })
  const version = await client.datasetVersions.wait(id)
  say(`${version.id} ${version.status}: ${version.train_rows} rows to train on, ${version.holdout_rows} held out`)
  return version.status === "ready" ? 0 : 1
}

export const upload = (options: UploadOptions) => async (client: Client) => {
  // Says which file is missing, which `openAsBlob` does not.
  await access(options.file)
  const { id } = await sent(client, await openAsBlob(options.file), options)
  const upload = await client.uploads.wait(id)
  say(`${upload.id} ${upload.status}: ${upload.rows ?? 0} rows`)
  for (const { line, message } of upload.errors) say(`line ${line}: ${message}`)
  if (upload.status !== "succeeded") return 1
  return options.dataset === undefined ? 0 : versionOf(client, upload.id, options.dataset)
}
