/** Sends the content of an upload in parts, and resumes after what the server has when a connection breaks. */
import type { Calls } from "./Calls.ts"
import { ApiError, ConnectionError } from "./Errors.ts"
import type { Upload, UploadCreate } from "./generated/types.ts"
import { type RequestOptions, sleep, type Transport } from "./Transport.ts"

/** A file (in Node `fs.openAsBlob(path)`), bytes, or text. */
export type Content = Blob | Uint8Array<ArrayBuffer> | string

export interface SendOptions extends RequestOptions {
  /** Called after each part with the received bytes. */
  readonly onProgress?: (progress: { readonly sentBytes: number; readonly totalBytes: number }) => void
  /** Bytes of a part; 8 MiB by default. A larger content has larger parts. */
  readonly partBytes?: number
}

const defaultPartBytes = 8 * 1024 ** 2
/** The server takes a thousand. */
const partsMax = 900
/** Consecutive failures without progress before giving up. */
const brokenMax = 5
const reconnectMillis = 500

/** 409: the aborted part arrived after all, so the next byte has moved on. */
const passing = new Set([408, 409, 429])

const isPassing = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && (error.status >= 500 || passing.has(error.status)))

const blobOf = (content: Content): Blob => (content instanceof Blob ? content : new Blob([content]))

export const makeUploading = (transport: Transport, call: Calls) => {
  const get = call("getUpload")
  const create = call("createUpload")

  const sendPart = async (upload: Upload, blob: Blob, from: number, options: SendOptions): Promise<number> => {
    const size = Math.max(options.partBytes ?? defaultPartBytes, Math.ceil(blob.size / partsMax))
    const end = Math.min(blob.size, from + size)
    // With nothing left, this request completes the upload: the server may have died between the last byte and its
    // response.
    const range = end === from ? "*" : `${from}-${end - 1}`
    const headers = { "content-type": "application/octet-stream", "content-range": `bytes ${range}/${blob.size}` }
    const body = blob.slice(from, end)
    const path = `/v1/distill/uploads/${upload.id}/content`
    await transport.json({ method: "PUT", path, headers, body }, { ...options, retriesMax: 0 })
    return end
  }

  /** Sends the missing bytes of an announced or interrupted upload. */
  const resume = async (id: string, content: Content, options: SendOptions = {}): Promise<Upload> => {
    const blob = blobOf(content)
    let upload = await get(id, options)
    for (let broken = 0, at = upload.received_bytes; upload.status === "awaiting_content"; ) {
      try {
        at = await sendPart(upload, blob, at, options)
        options.onProgress?.({ sentBytes: at, totalBytes: blob.size })
        broken = 0
        if (at < blob.size) continue
      } catch (error) {
        if (!isPassing(error) || ++broken >= brokenMax || options.signal?.aborted) throw error
        await sleep(reconnectMillis * broken, options.signal)
      }
      upload = await get(id, options)
      at = upload.received_bytes
    }
    return upload
  }

  /** Announces a content, and sends it. Its rows are read after that: `wait` for it. */
  const send = async (
    content: Content,
    { filename = "rows.jsonl", format = "chat_jsonl", ...fields }: Partial<UploadCreate> = {},
    options: SendOptions = {}
  ): Promise<Upload> => {
    const blob = blobOf(content)
    const { id } = await create({ filename, format, bytes: blob.size, ...fields }, options)
    return resume(id, blob, options)
  }

  return { send, resume }
}
