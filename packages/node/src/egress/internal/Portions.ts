/**
 * Passes received bytes to undici in small portions, and limits the bytes per response. undici parses its whole input, even
 * after the first header has broken a limit: with network-sized chunks, one receiver's flood of headers held all requests
 * up for a tenth of a second.
 */
import type { Socket } from "node:net"
import { errors } from "undici"

const portionBytes = 2_048
/** Headers, interim responses, and 64 KiB of body in chunks of one byte. */
const answerBytesMax = 1_048_576

const portionOf = (held: number) => (held === 0 ? undefined : Math.min(held, portionBytes))

/**
 * `answerMax`: maximum bytes of one response with headers; by default the size of the longest response that we read to its
 * end.
 */
export const limit = (socket: Socket, answerMax: number = answerBytesMax): Socket => {
  const read = socket.read.bind(socket)
  let answerBytes = 0
  let writtenBefore = 0

  /** Bytes after a write belong to a new response. */
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
