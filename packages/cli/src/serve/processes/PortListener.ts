/** The port of several processes: accepts connections, and reads none of their bytes. */
import * as net from "node:net"
import * as Effect from "effect/Effect"
import { type CannotListen, cannotListen, type ListenOptions } from "../Listener.ts"

export interface PortListener {
  readonly port: number
  /** Connections that have reached this machine are accepted first. */
  readonly close: () => void
}

export const open = (
  { host, port }: Pick<ListenOptions, "host" | "port">,
  dispatch: (socket: net.Socket) => void
): Effect.Effect<PortListener, CannotListen> =>
  Effect.callback((resume) => {
    const server = net.createServer({ noDelay: true, pauseOnConnect: true }, (socket) => {
      // The process that gets the connection sees that its client has left.
      socket.on("error", () => {})
      dispatch(socket)
    })
    server.once("error", (error) => resume(cannotListen({ host, port }, error)))
    server.listen(port, host, () => {
      // It listens on a port.
      const bound = server.address() as net.AddressInfo
      resume(Effect.succeed({ port: bound.port, close: () => void server.close() }))
    })
  })
