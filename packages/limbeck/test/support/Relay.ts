/** A TCP relay that can be cut: its connections break, and new ones are refused until it is mended. */
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import type { AtEnd } from "./Records.ts"

export const open = async (atEnd: AtEnd, target: URL) => {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((near) => {
    if (isCut) return near.destroy()
    const far = connect(Number(target.port), target.hostname)
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
  atEnd(() => {
    cut()
    server.close()
  })
  const url = new URL(target)
  url.hostname = "127.0.0.1"
  url.port = String((server.address() as AddressInfo).port) // It listens on a port.
  return {
    url: url.href,
    cut,
    mend: () => {
      isCut = false
    }
  }
}
