/** A large content of distinct rows, generated from any byte, so that nobody holds it. */
import { createHash } from "node:crypto"

/** All rows have the same size: a million of them are a little more than 1 GiB. */
const rowBytes = 1_074

const words = "invoice parcel refund login address delay voucher account label carrier order price".split(" ")
const labels = ["billing", "shipping", "access", "other"]

const row = (index: number): string => {
  const head = `{"messages":[{"role":"user","content":"Ticket ${index}:`
  const tail = `"}],"completion":"${labels[index % labels.length]}"}\n`
  const room = rowBytes - head.length - tail.length
  let text = ""
  for (let n = index; text.length < room; n = (Math.imul(n, 1_664_525) + 1_013_904_223) >>> 0) {
    text += ` ${words[(n >>> 16) % words.length]}`
  }
  return head + text.slice(0, room) + tail
}

const rowsPerChunk = 60

export const bytesOf = (rows: number): number => rows * rowBytes

/** The bytes from `from` to before `to`, in chunks as a socket brings them. */
export function* chunks(rows: number, from = 0, to = bytesOf(rows)): Generator<Buffer> {
  for (let first = Math.floor(from / rowBytes); first * rowBytes < to; first += rowsPerChunk) {
    const count = Math.min(rowsPerChunk, rows - first)
    const start = first * rowBytes
    const bytes = Buffer.from(Array.from({ length: count }, (_, index) => row(first + index)).join(""))
    yield bytes.subarray(Math.max(0, from - start), Math.max(0, to - start))
  }
}

export const digestOf = (rows: number): string => {
  const hash = createHash("sha256")
  for (const chunk of chunks(rows)) hash.update(chunk)
  return hash.digest("hex")
}
