// A receiver has no Effect clock.
// @effect-diagnostics globalDate:off
/** A webhook receiver in plain Node: verifies every request, is slow, and fails on request. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import * as https from "node:https"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import type { Certificate } from "@limbeck/testing/fixtures/Certificate"
import { Signal } from "@limbeck/testing/Signal"
import type { Api, Endpoint } from "./Api.ts"

export interface Arrival {
  readonly event: string
  readonly at: number
  /** Whether the signature is right for these bytes, and the headers say what the body says. */
  readonly genuine: boolean
  status: number
  /** Null until the answer is out. */
  answeredAt: number | null
}

/** How the `nth` arrival of an event (from 0) is answered. */
export type Manner = (event: string, nth: number) => { readonly status: number; readonly delayMillis: number }

const isSigned = (header: string, secret: string, body: Buffer): boolean => {
  const { t = "", v1 = "" } = Object.fromEntries(header.split(",").map((field) => field.split("=")))
  const isFresh = Math.abs(Date.now() / 1000 - Number(t)) <= 300
  return isFresh && v1 === createHmac("sha256", secret).update(`${t}.`).update(body).digest("hex")
}

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export class Receiver {
  readonly arrivals: Array<Arrival> = []
  /** Rings at each arrival, and at each answer. */
  readonly changes = new Signal()
  readonly #manner: Manner
  readonly #server: Server | https.Server
  readonly #scheme: "http" | "https"
  #endpoint: Endpoint | undefined

  /** With a certificate it listens for https, which live mode wants. */
  constructor(manner: Manner, certificate?: Certificate) {
    this.#manner = manner
    const listener: RequestListener = (request, response) => {
      this.#receive(request).then(
        (status) => response.writeHead(status).end(),
        () => response.destroy()
      )
    }
    this.#scheme = certificate === undefined ? "http" : "https"
    this.#server = certificate === undefined ? createServer(listener) : https.createServer(certificate, listener)
  }

  async #receive(request: IncomingMessage): Promise<number> {
    const body = await bodyOf(request)
    const header = (name: string) => String(request.headers[name])
    const { id, type } = JSON.parse(body.toString())
    const genuine =
      isSigned(header("service-signature"), this.#endpoint?.secret ?? "", body) &&
      header("service-event-id") === id &&
      header("service-event-type") === type
    const { delayMillis, status } = this.#manner(id, this.of(id).length)
    const arrival: Arrival = { event: id, at: Date.now(), genuine, status, answeredAt: null }
    this.arrivals.push(arrival)
    this.changes.ring()
    await sleep(delayMillis)
    arrival.answeredAt = Date.now()
    this.changes.ring()
    return status
  }

  /** Listens, and subscribes to everything. */
  async subscribe(atEnd: AtEnd, api: Api): Promise<Endpoint> {
    this.#server.listen(0, "127.0.0.1")
    await once(this.#server, "listening")
    atEnd(() => {
      this.#server.close()
      this.#server.closeAllConnections()
    })
    const { port } = this.#server.address() as AddressInfo // A listening server has an address.
    const url = `${this.#scheme}://127.0.0.1:${port}/hook`
    this.#endpoint = await api.create<Endpoint>("/v1/webhook_endpoints", { url, enabled_events: ["*"] })
    return this.#endpoint
  }

  of(event: string): ReadonlyArray<Arrival> {
    return this.arrivals.filter((arrival) => arrival.event === event)
  }

  /** Whether a 2xx of ours went out for the event. */
  has(event: string): boolean {
    return this.of(event).some(({ answeredAt, status }) => answeredAt !== null && status < 300)
  }

  assertGenuine(): void {
    assert.ok(this.arrivals.every(({ genuine }) => genuine))
  }
}
