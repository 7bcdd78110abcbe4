/** Bytes as text, in steps: to decode sixteen megabytes at once holds a thread for up to 50 ms. */
import type * as Turns from "../turns/Turns.ts"

/** Bytes that are decoded at once. */
const pieceBytes = 256 * 1024
/** Bytes per unit of cost; a unit is a character read. */
const bytesPerCost = 8

const decoder = new TextDecoder()

/** What is no UTF-8 is replaced. Short bytes take one step. */
export function* decoding(bytes: Uint8Array): Turns.Steps<string> {
  if (bytes.length <= pieceBytes) return decoder.decode(bytes)
  const pieceDecoder = new TextDecoder()
  const pieces: Array<string> = []
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    pieces.push(pieceDecoder.decode(bytes.subarray(at, at + pieceBytes), { stream: true }))
    yield pieceBytes / bytesPerCost
  }
  pieces.push(pieceDecoder.decode())
  return pieces.join("")
}
