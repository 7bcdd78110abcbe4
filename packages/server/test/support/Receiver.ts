/** A receiver of webhooks on this machine: keeps what it is sent, and answers 500 below `/broken`. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export class Receiver {
  readonly received: Array<Received> = []
  private readonly server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("")
    const path = request.url ?? ""
    this.received.push({ path, headers: request.headers, body })
    response.writeHead(path.startsWith("/broken") ? 500 : 200).end("noted")
  })

  async open() {
    await once(this.server.listen(0, "127.0.0.1"), "listening")
  }

  close() {
    this.server.closeAllConnections()
    this.server.close()
  }

  url(path: string) {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}` // It listens on a port.
  }

  at(path: string): Received | undefined {
    return this.received.find((one) => one.path === path)
  }
}
