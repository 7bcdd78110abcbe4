/** A scripted port of this machine, which becomes an honest receiver once healed. */
import { createServer as createHttp, type RequestListener } from "node:http"
import { createServer as createHttps } from "node:https"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { type Behaviour, certificate } from "./Behaviours.ts"

export interface HostedReceiver {
  readonly port: number
  readonly url: string
  /** Closes its connections; new ones find an honest receiver. */
  readonly heal: () => void
  readonly connections: () => number
  readonly stop: () => Promise<void>
}

const honestly: RequestListener = (request, response) => {
  request.resume().on("end", () => response.end("healed"))
}

const honest = { http: createHttp(honestly), https: createHttps(certificate, honestly) }

export const host = async (behaviour: Behaviour): Promise<HostedReceiver> => {
  const hostile = behaviour.server()
  const sockets = new Set<Socket>()
  let count = 0
  let isHealed = false
  const closeAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((socket) => {
    count += 1
    sockets.add(socket)
    socket.on("error", () => {}).on("close", () => sockets.delete(socket))
    const to = isHealed ? honest[behaviour.scheme] : hostile
    to.emit("connection", socket)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // A server that listens on TCP has an address of this form.
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `${behaviour.scheme}://${behaviour.host ?? "127.0.0.1"}:${port}/hook`,
    heal: () => {
      isHealed = true
      closeAll()
    },
    connections: () => count,
    stop: async () => {
      closeAll()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}
