/** `limbeck upload`: sends a file of rows, resumes after an interruption, and makes a version of the rows. */
import { openAsBlob } from "node:fs"
import type { Client, Content, Upload, UploadCreate } from "@limbeck/client"
import type { Output } from "../Output.ts"
import * as Terminal from "../terminal/Terminal.ts"
import { CommandError } from "./CommandError.ts"
import { type InputFile, withInput } from "./InputFile.ts"
import type { Command } from "./Remote.ts"
import { barOf } from "./RunBoard.ts"

export interface UploadOptions {
  /** A path; `-` for standard input. */
  readonly file: string
  /** The id of an interrupted upload. */
  readonly resume?: string | undefined
  /** The name of a new dataset, whose first version holds the rows. */
  readonly dataset?: string | undefined
}

const showProgress = ({ sentBytes, totalBytes }: { readonly sentBytes: number; readonly totalBytes: number }) => {
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * sentBytes) / totalBytes)
  const size = totalBytes < 1e6 ? `${(totalBytes / 1e3).toFixed(1)} kB` : `${(totalBytes / 1e6).toFixed(1)} MB`
  const text = `${barOf(sentBytes, totalBytes)} ${String(percent).padStart(3)} % of ${size}`
  Terminal.progress(text, sentBytes === totalBytes)
}

/** Sends the bytes missing on the server; `about`: metadata announced before the content. */
export const send = async (
  client: Client,
  output: Output,
  content: Content,
  { filename, resume }: { readonly filename: string; readonly resume?: string | undefined },
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

/** Sends the rows of a file, waits until they are read, and makes a version in the named dataset, if any. */
export const sendRows = async (
  client: Client,
  output: Output,
  { name, path }: InputFile,
  { dataset, resume }: Omit<UploadOptions, "file">
): Promise<number> => {
  const { id } = await send(client, output, await openAsBlob(path), { filename: name, resume })
  const upload = await client.uploads.wait(id)
  const wrong = upload.errors.map(({ line, message }) => `line ${line}: ${message}`)
  output.result(upload, `${upload.id} ${upload.status}: ${upload.rows ?? 0} rows`, ...wrong)
  if (upload.status !== "succeeded") return 1
  if (upload.rows === 0) throw new CommandError(`${name} holds no rows`)
  return dataset === undefined ? 0 : versionOf(client, output, upload.id, dataset)
}

export const upload =
  ({ file, ...options }: UploadOptions): Command =>
  (client, output) =>
    withInput(file, (input) => sendRows(client, output, input, options))
