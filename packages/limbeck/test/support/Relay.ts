/**
 * A TCP relay that can be cut: its connections break, and new ones are refused until mended. Frozen, it keeps connections,
 * including new ones, but passes nothing.
 */
import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { atPort, toDatabase } from "@limbeck/testing/database/Wire"

export const open = async (atEnd: AtEnd, target: URL) => {
  const sockets = new Set<Socket>()
  let isCut = false
  let isFrozen = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    if (isFrozen) return sockets.add(near)
    const far = toDatabase(target)
    for (const [one, other] of [
      [near, far],
      [far, near]
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one
        .on("error", () => other.destroy())
        .on("close", () => {
          sockets.delete(one)
          other.destroy()
        })
    }
    return undefined
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  const freeze = () => {
    isFrozen = true
    for (const socket of sockets) socket.unpipe()
  }
  atEnd(() => {
    cut()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  return {
    url: atPort(port, target),
    cut,
    freeze,
    mend: () => {
      isCut = false
    }
  }
}
