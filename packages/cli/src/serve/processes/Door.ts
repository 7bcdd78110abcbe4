/** The port of several processes: connections are accepted here, and none of their bytes is read. */
import * as net from "node:net"
import * as Effect from "effect/Effect"
import { CannotListen, type ListenOptions } from "../Listener.ts"

export interface Door {
  readonly port: number
  /** What has reached this machine is given before. */
  readonly close: () => void
}

export const open = ({ host, port }: Pick<ListenOptions, "host" | "port">, give: (socket: net.Socket) => void) =>
  Effect.callback<Door, CannotListen>((resume) => {
    const server = net.createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
      // A client that has left: who is handed the connection sees it.
      socket.on("error", () => {})
      give(socket)
    })
    server.once("error", (error) =>
      resume(new CannotListen({ message: `cannot listen on ${host}:${port}: ${error.message}` }))
    )
    server.listen(port, host, () => {
      // It listens on a port.
      const bound = server.address() as net.AddressInfo
      resume(Effect.succeed({ port: bound.port, close: () => void server.close() }))
    })
  })
