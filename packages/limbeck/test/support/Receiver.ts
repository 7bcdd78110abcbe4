// A receiver has no Effect clock.
// @effect-diagnostics globalDate:off
/** A webhook receiver that notes which process sent what and when, and answers each arrival with its own number. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { Signal } from "@limbeck/testing/Signal"

export interface Arrival {
  /** In the response body, so that a recorded attempt names its arrival. */
  readonly number: number
  readonly path: string
  readonly brand: string
  readonly delivery: string
  readonly at: number
  /** Null until the answer is out. */
  answeredAt: number | null
  readonly status: number
}

/** How the `nth` arrival of a delivery (from 0) is answered. */
export type Manner = (path: string, nth: number) => { readonly status: number; readonly delayMillis: number }

export class Receiver {
  readonly arrivals: Array<Arrival> = []
  /** Rings at each arrival. */
  readonly changes = new Signal()
  readonly #byDelivery = new Map<string, Array<Arrival>>()
  readonly #manner: Manner
  readonly #server = createServer(async (request, response) => {
    const at = Date.now()
    const [brand = ""] = String(request.headers["user-agent"]).split("-")
    const delivery = String(request.headers[`${brand.toLowerCase()}-delivery-id`])
    const path = request.url ?? ""
    const { delayMillis, status } = this.#manner(path, this.of(delivery).length)
    const arrival: Arrival = { number: this.arrivals.length, path, brand, delivery, at, answeredAt: null, status }
    this.arrivals.push(arrival)
    this.#byDelivery.set(delivery, [...this.of(delivery), arrival])
    this.changes.ring()
    request.resume()
    await sleep(delayMillis)
    arrival.answeredAt = Date.now()
    response.writeHead(status).end(String(arrival.number))
  })

  constructor(atEnd: AtEnd, manner: Manner) {
    this.#manner = manner
    atEnd(() => this.#close())
    // Longer than a sender keeps a connection, so that none is closed under its hands.
    this.#server.keepAliveTimeout = 60_000
  }

  /** Answers where it listens. */
  async listen(): Promise<string> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    const { port } = this.#server.address() as AddressInfo // A listening server has a port.
    return `http://127.0.0.1:${port}`
  }

  /** Oldest first. */
  of(delivery: string): ReadonlyArray<Arrival> {
    return this.#byDelivery.get(delivery) ?? []
  }

  #close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}
