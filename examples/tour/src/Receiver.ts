// A receiver in plain Node, which shares no code with the sender, for an independent proof.
// @effect-diagnostics globalDate:off
/** A webhook receiver: keeps the raw bytes, verifies them by its own few lines, and remembers what came. */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { selfSigned } from "@limbeck/testing/fixtures/Certificate"

const toleranceSeconds = 300

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, an HMAC-SHA256 over `<t>.<raw body>`. */
export const isAuthentic = (secret: string, header: string, raw: Buffer): boolean => {
  const fields = header.split(",").map((field) => field.split("=", 2))
  const time = fields.find(([name]) => name === "t")?.[1] ?? ""
  if (!/^\d+$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > toleranceSeconds) return false
  const expected = createHmac("sha256", secret).update(`${time}.`).update(raw).digest()
  return fields.some(([name, hex = ""]) => {
    const digest = Buffer.from(hex, "hex")
    return name === "v1" && digest.length === expected.length && timingSafeEqual(digest, expected)
  })
}

interface ReceivedEvent {
  readonly eventId: string
  readonly eventType: string
  readonly deliveryId: string
  readonly signature: string
  readonly authentic: boolean
  readonly raw: Buffer
}

export interface Receiver {
  readonly url: string
  /** The TLS certificate of the receiver; live mode delivers by https alone. */
  readonly certificate: string
  readonly received: ReadonlyArray<ReceivedEvent>
  /** Sets the secret for verifying deliveries; earlier deliveries are refused. */
  readonly trust: (secret: string) => void
  readonly close: () => Promise<void>
}

const bytesOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const headerOf = (request: IncomingMessage, name: string): string => String(request.headers[name] ?? "")

export const start = async (): Promise<Receiver> => {
  const received: Array<ReceivedEvent> = []
  let secret: string | undefined

  const receive = async (request: IncomingMessage): Promise<number> => {
    const raw = await bytesOf(request)
    const signature = headerOf(request, "service-signature")
    const authentic = secret !== undefined && isAuthentic(secret, signature, raw)
    received.push({
      eventId: headerOf(request, "service-event-id"),
      eventType: headerOf(request, "service-event-type"),
      deliveryId: headerOf(request, "service-delivery-id"),
      signature,
      authentic,
      raw
    })
    return authentic ? 204 : 400
  }

  const host = "127.0.0.1"
  const { cert, key } = selfSigned(host)
  const server = createServer({ cert, key }, (request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy()
    )
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  const { port } = server.address() as AddressInfo // A listening server has a port.
  return {
    url: `https://${host}:${port}/hook`,
    certificate: cert,
    received,
    trust: (value) => {
      secret = value
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      })
  }
}
