/** Real receivers on this machine, with scripted responses, closed at the end of the test. */

import { createServer as createHttp, type RequestListener } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { createServer as createTls, type TlsOptions } from "node:tls"
import * as Effect from "effect/Effect"

const started = (make: () => Server, host: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = make()
      const sockets: Array<Socket> = []
      let count = 0
      const closed = new Promise<void>((resolve) => {
        server.on("connection", (socket: Socket) => {
          count += 1
          sockets.push(socket)
          socket.on("error", () => {}).on("close", () => resolve())
        })
      })
      await new Promise<void>((resolve) => server.listen(0, host, resolve))
      // A server that listens on TCP has an address of this form.
      const { port } = server.address() as AddressInfo
      return { server, sockets, port, url: `http://127.0.0.1:${port}/hook`, connections: () => count, closed }
    }),
    ({ server, sockets }) =>
      Effect.promise(() => {
        for (const socket of sockets) socket.destroy()
        return new Promise((resolve) => server.close(resolve))
      })
  )

export const http = (listener: RequestListener, host = "127.0.0.1") => started(() => createHttp(listener), host)

/** Responds on the raw socket after the first bytes of a request. */
export const raw = (answer: (socket: Socket, request: string) => void, host = "127.0.0.1") =>
  started(
    () => createServer((socket) => void socket.once("data", (bytes) => answer(socket, bytes.toString("latin1")))),
    host
  )

/** Responds 200 over TLS, and reports the requested server name. */
export const tls = (options: TlsOptions, onServerName: (name: string | false | null) => void = () => {}) =>
  started(
    () =>
      createTls(options, (socket) => {
        onServerName(socket.servername)
        socket.on("error", () => {}).once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
      }),
    "127.0.0.1"
  )
