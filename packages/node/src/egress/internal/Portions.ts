/**
 * Hands undici what a receiver sends in small portions, and of one answer not more than any honest one has. undici goes
 * through what it is handed to the end, even when the first header has broken a limit: in portions as large as the network's,
 * one receiver's flood of headers held everybody up for a tenth of a second.
 */
import type { Socket } from "node:net"
import { errors } from "undici"

const portionBytes = 2_048
/** Headers, interim answers, and 64 KiB of body in chunks of one byte. */
const answerBytesMax = 1_048_576

const portionOf = (held: number) => (held === 0 ? undefined : Math.min(held, portionBytes))

/** `answerMax`: the bytes of one answer, headers too; by default those of the longest that we read to its end. */
export const limit = (socket: Socket, answerMax: number = answerBytesMax): Socket => {
  const read = socket.read.bind(socket)
  let answerBytes = 0
  let writtenBefore = 0

  /** What comes after something was written is another answer. */
  const count = (bytes: number) => {
    if (socket.bytesWritten !== writtenBefore) answerBytes = 0
    writtenBefore = socket.bytesWritten
    answerBytes += bytes
    return answerBytes
  }

  socket.read = (size?: number): unknown => {
    // A destroyed socket would go on to give what it holds.
    if (socket.destroyed) return null
    const portion: unknown = read(size ?? portionOf(socket.readableLength))
    if (!Buffer.isBuffer(portion) || count(portion.length) <= answerMax) return portion
    socket.destroy(new errors.ResponseExceededMaxSizeError())
    return null
  }
  return socket
}
