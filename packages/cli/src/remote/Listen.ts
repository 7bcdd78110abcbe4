// A command in plain Node, for a person.
// @effect-diagnostics globalFetch:off
/**
 * `limbeck webhooks listen`: creates an endpoint on this machine, prints its deliveries and forwards them unchanged, to
 * test a receiver during development. The endpoint is removed at the end.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { buffer } from "node:stream/consumers"
import type { Output } from "../Output.ts"
import type { Command } from "./Remote.ts"

export interface ListenOptions {
  /** Where deliveries go. */
  readonly forwardTo: string
  /** Types of events; all by default. */
  readonly types: ReadonlyArray<string>
  /** Ends the command. */
  readonly signal: AbortSignal
}

const unavailable = 502

/** Headers of the incoming connection, which are not forwarded. */
const ofConnection = new Set(["host", "connection", "content-length", "transfer-encoding", "expect"])

const headersOf = ({ headersDistinct }: IncomingMessage): Array<[string, string]> =>
  Object.entries(headersDistinct)
    .filter(([name]) => !ofConnection.has(name))
    .flatMap(([name, values = []]) => values.map((value): [string, string] => [name, value]))

/** The receiver's status; 502 for an unreachable receiver, so that the delivery is retried. */
const forwarded = async (to: string, request: IncomingMessage, body: Buffer): Promise<number> => {
  try {
    const response = await fetch(to, { method: "POST", headers: headersOf(request), body: new Uint8Array(body) })
    await response.arrayBuffer()
    return response.status
  } catch {
    return unavailable
  }
}

const typeOf = (body: Buffer): string => {
  try {
    return JSON.parse(body.toString()).type
  } catch {
    return "no event"
  }
}

const answer = async (to: string, output: Output, request: IncomingMessage, response: ServerResponse) => {
  const body = await buffer(request)
  const status = await forwarded(to, request, body)
  const { "service-delivery-id": delivery = "", "service-event-id": event = "" } = request.headers
  const type = typeOf(body)
  const told = status === unavailable ? `${status}, no answer` : status
  output.result({ type, event, delivery, status }, `${type} ${event} ${delivery} -> ${told}`)
  response.writeHead(status).end()
}

export const listen =
  ({ forwardTo, signal, types }: ListenOptions): Command =>
  async (client, output) => {
    const server = createServer((request, response) => {
      // An aborted request needs no response.
      answer(forwardTo, output, request, response).catch(() => response.destroy())
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const { port } = server.address() as AddressInfo // It listens on a port.
    try {
      const endpoint = await client.webhookEndpoints.create({
        url: `http://127.0.0.1:${port}/`,
        description: "limbeck webhooks listen",
        enabled_events: types.length === 0 ? ["*"] : [...types]
      })
      output.result(
        { endpoint: endpoint.id, secret: endpoint.secret, forward_to: forwardTo },
        `Secret, while this runs: ${endpoint.secret}`,
        `Ready: deliveries go to ${forwardTo}`
      )
      if (!signal.aborted) await once(signal, "abort")
      await client.webhookEndpoints.delete(endpoint.id)
      return 0
    } finally {
      server.close()
      server.closeAllConnections()
    }
  }
