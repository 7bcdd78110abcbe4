/** Servers with arbitrary behaviour on the wire. They use the given connections, and never end by themselves. */
import { createServer, type Server, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { createServer as createTls, type TlsOptions } from "node:tls"

export type Act = (socket: Socket) => void

const calm = (socket: Socket) => socket.on("error", () => {})

/** Acts at connection. */
export const atOnce = (act: Act): Server => createServer((socket) => act(calm(socket)))

/** Acts at the first bytes of a request or a TLS handshake. */
export const onRequest = (act: Act): Server =>
  createServer((socket) => void calm(socket).once("data", () => act(socket)))

/** Acts when the first bytes of a request have come over TLS. */
export const onTlsRequest = (options: TlsOptions, act: Act): Server =>
  createTls(options, (socket) => void calm(socket).once("data", () => act(socket))).on("tlsClientError", () => {})

export const head = (...lines: ReadonlyArray<string>): string => `${lines.join("\r\n")}\r\n\r\n`

export const says =
  (...parts: ReadonlyArray<string | Uint8Array>): Act =>
  (socket) => {
    for (const part of parts) socket.write(part)
  }

/** `binary`: one byte per character. */
export const bytes = (binary: string): Uint8Array => Buffer.from(binary, "latin1")

export const closeAfter =
  (act: Act): Act =>
  (socket) => {
    act(socket)
    socket.end()
  }

export const thenResets =
  (...parts: ReadonlyArray<string>): Act =>
  (socket) => {
    if (parts.length === 0) socket.resetAndDestroy()
    else socket.write(parts.join(""), () => socket.resetAndDestroy())
  }

/** Writes the beginning, then the rest repeatedly, as fast as the reader reads. */
export const floods =
  (begin: string, again: string | Uint8Array): Act =>
  (socket) => {
    const piece = Buffer.from(again)
    const chunk = Buffer.concat(Array.from({ length: Math.ceil(16_384 / piece.length) }, () => piece))
    const more = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on("drain", more)
    socket.write(begin)
    more()
  }

/** Between two pieces of what trickles: far too slow, and never idle for long. */
const trickleMillis = 40

/** Says the beginning, then the rest again and again, slowly. */
export const trickles =
  (begin: string, again: string | Uint8Array): Act =>
  async (socket) => {
    socket.write(begin)
    while (!socket.destroyed) {
      socket.write(again)
      await sleep(trickleMillis)
    }
  }

/** Says one byte after the other, slowly. */
export const spells =
  (text: string): Act =>
  async (socket) => {
    for (const character of text) {
      if (socket.destroyed) return
      socket.write(character)
      await sleep(trickleMillis)
    }
  }
