/** `limbeck upload`: sends a file of rows, resumes where it was cut off, and makes a version of it. */
import { openAsBlob } from "node:fs"
import { access } from "node:fs/promises"
import * as path from "node:path"
import type { Client, Content, Upload, UploadCreate } from "@limbeck/client"
import type { Output } from "../Output.ts"
import type { Command } from "./Remote.ts"
import { barOf } from "./RunBoard.ts"

export interface UploadOptions {
  readonly file: string
  /** What the upload is called; the name of the file by default. */
  readonly filename?: string
  /** The id of an upload that was cut off. */
  readonly resume?: string | undefined
  /** The name of a new dataset, whose first version is made of the rows. */
  readonly dataset?: string | undefined
}

/** On a terminal one line that is written anew; elsewhere nothing, since logs keep every line. */
const showProgress = ({ sentBytes, totalBytes }: { readonly sentBytes: number; readonly totalBytes: number }) => {
  if (!process.stderr.isTTY) return
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * sentBytes) / totalBytes)
  const size = totalBytes < 1e6 ? `${(totalBytes / 1e3).toFixed(1)} kB` : `${(totalBytes / 1e6).toFixed(1)} MB`
  const end = sentBytes === totalBytes ? "\n" : ""
  process.stderr.write(`\r${barOf(sentBytes, totalBytes)} ${String(percent).padStart(3)} % of ${size}${end}`)
}

/** Sends what the server lacks; `about`: what is said of the content before it is sent. */
export const sent = async (
  client: Client,
  output: Output,
  content: Content,
  { file, filename = path.basename(file), resume }: UploadOptions,
  about: Omit<UploadCreate, "filename"> = {}
): Promise<Upload> => {
  const options = { onProgress: showProgress }
  if (resume !== undefined) return client.uploads.resume(resume, content, options)
  const { id } = await client.uploads.create({ filename, ...about })
  // Said first: whoever is cut off resumes by it.
  output.result({ upload: id }, `${id}, which --resume ${id} completes if it is cut off`)
  return client.uploads.resume(id, content, options)
}

const versionOf = async (client: Client, output: Output, upload: string, name: string): Promise<number> => {
  const dataset = await client.datasets.create({ name })
  const { id } = await client.datasetVersions.create(dataset.id, { from: { upload } })
  const version = await client.datasetVersions.wait(id)
  const { holdout_rows: held, id: made, status, train_rows: trained } = version
  output.result(version, `${made} ${status}: ${trained} rows to train on, ${held} held out`)
  return version.status === "ready" ? 0 : 1
}

export const upload =
  (options: UploadOptions): Command =>
  async (client, output) => {
    // Says which file is missing, which `openAsBlob` does not.
    await access(options.file)
    const { id } = await sent(client, output, await openAsBlob(options.file), options)
    const upload = await client.uploads.wait(id)
    const wrong = upload.errors.map(({ line, message }) => `line ${line}: ${message}`)
    output.result(upload, `${upload.id} ${upload.status}: ${upload.rows ?? 0} rows`, ...wrong)
    if (upload.status !== "succeeded") return 1
    return options.dataset === undefined ? 0 : versionOf(client, output, upload.id, options.dataset)
  }
