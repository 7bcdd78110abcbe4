/** A webhook receiver on this machine: keeps requests, and responds 500 below `/broken`, or by a test's script. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Signal } from "@limbeck/testing/Signal"

export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

let paths = 0

export class Receiver {
  readonly received: Array<ReceivedRequest> = []
  /** Rings when a request is received, after its listener. */
  readonly changes = new Signal()
  private readonly listeners = new Map<string, RequestListener>()
  private readonly server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("")
    const path = request.url ?? ""
    this.received.push({ path, headers: request.headers, body })
    const listener = this.listeners.get(path)
    if (listener === undefined) response.writeHead(path.startsWith("/broken") ? 500 : 200).end("noted")
    else listener(request, response)
    this.changes.ring()
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

  /** A URL with its own listener. */
  answering(listener: RequestListener): string {
    const path = `/own/${++paths}`
    this.listeners.set(path, listener)
    return this.url(path)
  }

  /** The requests to a URL of this receiver. */
  allAt(url: string): ReadonlyArray<ReceivedRequest> {
    return this.received.filter(({ path }) => this.url(path) === url)
  }

  at(path: string): ReceivedRequest | undefined {
    return this.received.find((one) => one.path === path)
  }
}
