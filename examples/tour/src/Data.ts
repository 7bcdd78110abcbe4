/** From a file of JSON Lines to a version that runs can be made on. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Api } from "./Api.ts"
import { claim, claimEqual, given } from "./Claims.ts"
import { step } from "./Screen.ts"
import type { Dataset, Upload, Version } from "./Wire.ts"

const file = fileURLToPath(new URL("../data/tickets.jsonl", import.meta.url))

interface Tickets {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly rows: number
  readonly distinct: number
}

const read = async (): Promise<Tickets> => {
  const bytes = new Uint8Array(await readFile(file))
  const lines = new TextDecoder().decode(bytes).trimEnd().split("\n")
  return { bytes, rows: lines.length, distinct: new Set(lines).size }
}

const upload = async (api: Api, { bytes, rows }: Tickets): Promise<Upload> => {
  const body = { filename: "tickets.jsonl", format: "chat_jsonl", bytes: bytes.length }
  const created = await api.create<Upload>("/v1/distill/uploads", body, "tour-upload")
  claimEqual(created.status, "awaiting_content", "The status of a new upload")
  claimEqual(await api.putBytes(given(created.upload_url, "The upload URL"), bytes), 202, "The status of the content")
  const done = await api.until(
    "The upload",
    () => api.get<Upload>(`/v1/distill/uploads/${created.id}`),
    ({ status }) => status !== "awaiting_content" && status !== "processing"
  )
  claimEqual(done.status, "succeeded", "The status of the upload")
  claimEqual(done.rows, rows, "The number of rows of the upload")
  claimEqual(done.sha256, createHash("sha256").update(bytes).digest("hex"), "The digest of the upload")
  return done
}

const build = async (api: Api, from: Upload, { distinct, rows }: Tickets): Promise<Version> => {
  const dataset = await api.create<Dataset>("/v1/distill/datasets", { name: "tickets" })
  const created = await api.create<Version>(`/v1/distill/datasets/${dataset.id}/versions`, {
    from: { upload: from.id }
  })
  const version = await api.until(
    "The dataset version",
    () => api.get<Version>(`/v1/distill/dataset_versions/${created.id}`),
    ({ status }) => status !== "building"
  )
  claimEqual(version.status, "ready", "The status of the dataset version")
  claimEqual(version.rows, distinct, "The number of rows of the version")
  claimEqual(version.dropped.duplicates, rows - distinct, "The number of duplicates dropped")
  claimEqual(version.train_rows + version.holdout_rows, version.rows, "Train and holdout rows together")
  claim(version.holdout_rows > 0, "The version ought to hold rows back")
  return version
}

export interface Prepared {
  readonly upload: Upload
  readonly version: Version
}

export const prepare = async (api: Api): Promise<Prepared> => {
  const tickets = await read()
  const uploaded = await step("Upload tickets.jsonl", async () => {
    const done = await upload(api, tickets)
    return [done, `${done.rows} rows, ${done.bytes} bytes`]
  })
  const version = await step("Build a dataset version", async () => {
    const built = await build(api, uploaded, tickets)
    const { dropped, holdout_rows, train_rows } = built
    return [built, `${train_rows} train, ${holdout_rows} holdout, ${dropped.duplicates} duplicates dropped`]
  })
  return { upload: uploaded, version }
}
