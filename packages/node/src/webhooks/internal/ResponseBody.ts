/**
 * Reads a response body, decompressed, up to a limit, and keeps its beginning. A decompression bomb is harmless: nothing is
 * unpacked beyond the limit. So is compressed input without output: the limit also bounds compressed bytes.
 */
import { isAscii } from "node:buffer"
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib"

export interface BodyOptions {
  readonly encoding: string
  /** Bytes to read. */
  readonly readMax: number
  /** Bytes to keep of them. */
  readonly keepMax: number
  /** The end or the limit was reached, or the body is broken: it cannot be decompressed. Called once. */
  readonly onDone: (broken: boolean) => void
  readonly pause: () => void
  readonly resume: () => void
}

const decoderFor = (encoding: string, firstByte: number) => {
  switch (encoding) {
    case "gzip":
    case "x-gzip":
      return createGunzip()
    case "deflate":
      // Many servers leave out the zlib header, whose low four bits are 8.
      return (firstByte & 0x0f) === 8 ? createInflate() : createInflateRaw()
    case "br":
      return createBrotliDecompress()
    default:
      return undefined
  }
}

type Decoder = NonNullable<ReturnType<typeof decoderFor>>

const utf8 = new TextEncoder()
/** Maximum UTF-8 bytes of one JavaScript code unit. */
const unitBytesMax = 3

/** At most `max` bytes of UTF-8, cut between characters; replaces invalid or unstorable characters. */
const toText = (bytes: Buffer, max: number): string => {
  // Nearly all answers, and those need no decoder.
  if (isAscii(bytes) && bytes.length <= max && !bytes.includes(0)) return bytes.toString("latin1")
  const text = new TextDecoder().decode(bytes, { stream: true }).replaceAll("\0", "\ufffd")
  return text.length * unitBytesMax <= max ? text : text.slice(0, utf8.encodeInto(text, new Uint8Array(max)).read)
}

export class ResponseBody {
  readonly #options: BodyOptions
  readonly #kept: Array<Uint8Array> = []
  #keptBytes = 0
  #readBytes = 0
  #compressedBytes = 0
  #decoder: Decoder | undefined
  #done = false

  constructor(options: BodyOptions) {
    this.#options = options
  }

  write(chunk: Buffer): void {
    if (this.#done || chunk.length === 0) return
    if (this.#readBytes === 0) this.#decoder ??= this.#decode(this.#options.encoding, chunk[0] ?? 0)
    if (this.#decoder === undefined) this.#take(chunk)
    else this.#decompress(this.#decoder, chunk)
  }

  end(): void {
    if (this.#decoder === undefined) this.#finish()
    else this.#decoder.end()
  }

  /** Takes no more, and calls nobody. */
  stop(): void {
    this.#done = true
    this.#decoder?.destroy()
  }

  text(): string {
    return toText(Buffer.concat(this.#kept), this.#options.keepMax)
  }

  #decode(encoding: string, firstByte: number) {
    return decoderFor(encoding, firstByte)
      ?.on("data", (chunk: Buffer) => this.#take(chunk))
      .on("drain", this.#options.resume)
      .on("end", () => this.#finish())
      .on("error", () => this.#finish(true))
  }

  #decompress(decoder: Decoder, chunk: Buffer): void {
    const { pause, readMax } = this.#options
    this.#compressedBytes += chunk.length
    const isLast = this.#compressedBytes >= readMax
    const hasRoom = decoder.write(chunk, () => isLast && this.#finish())
    if (isLast || !hasRoom) pause()
  }

  #take(chunk: Uint8Array): void {
    if (this.#done) return
    const { keepMax, readMax } = this.#options
    // A copy: a view would hold the whole chunk in memory.
    if (this.#keptBytes < keepMax) this.#kept.push(new Uint8Array(chunk.subarray(0, keepMax - this.#keptBytes)))
    this.#keptBytes += chunk.length
    this.#readBytes += chunk.length
    if (this.#readBytes >= readMax) this.#finish()
  }

  #finish(broken = false): void {
    if (this.#done) return
    this.stop()
    this.#options.onDone(broken)
  }
}
