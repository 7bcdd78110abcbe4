/**
 * A hosted model provider with delayed answers and a charge per received request. Kill tests compare its charges with the figures
 * reported by the run.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { openSchema } from "@limbeck/testing/database/Database"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { type Client, expectStatus } from "@limbeck/testing/http/Client"
import * as ProxyServers from "../support/ProxyServers.ts"

export const liveToken = ProxyServers.token.replace("test", "live")

/** Servers on a schema of their own, with a live token. */
export const openServers = async (atEnd: AtEnd) => {
  const { schema } = await openSchema(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  return ProxyServers.open(atEnd, { url, schema, directory, token: ProxyServers.token, liveToken })
}

/** Nearly what one question can cost at most: 1,024 tokens of output. */
const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 }
export const price = { input_per_million: 1, output_per_million: 10 }
export const microsOfCall = 10 * 1 + 1_000 * 10

/** Turns of the event loop for what has arrived at this machine: one accepts a connection, further ones read its request. */
const quietTurns = 10

export interface Received {
  readonly model: string
  readonly question: string
}

export type ChargingProvider = Awaited<ReturnType<typeof open>>

export const open = async (atEnd: AtEnd, { answerMillis }: { readonly answerMillis: number }) => {
  const received: Array<Received> = []
  let onReceived = () => {}
  const server = createServer(async (request, response) => {
    const { messages, model } = JSON.parse((await request.toArray()).join(""))
    received.push({ model, question: messages[0].content })
    onReceived()
    await sleep(answerMillis)
    const choices = [{ index: 0, message: { role: "assistant", content: "refund" }, finish_reason: "stop" }]
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices, usage }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  let connections = 0
  let onIdle = () => {}
  server.on("connection", (socket) => {
    connections++
    socket.once("close", () => {
      if (--connections === 0) onIdle()
    })
  })
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, // It listens on a port.
    received,
    /** Once every request of a killed server was counted: connections that wait to be accepted are accepted, read and closed. */
    idle: async () => {
      for (let quiet = 0, counted = -1; quiet < quietTurns; quiet++) {
        if (connections > 0) {
          await new Promise<void>((resolve) => {
            onIdle = resolve
          })
        }
        await turn()
        if (received.length === counted) continue
        counted = received.length
        quiet = 0
      }
    },
    /** Once what the provider has received fulfills this. */
    reached: (isReached: (received: ReadonlyArray<Received>) => boolean) =>
      new Promise<void>((resolve) => {
        onReceived = () => {
          if (isReached(received)) resolve()
        }
      })
  }
}

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly value: number }> }>
}

/** The last value of a metric of a run; 0 before the first. */
export const lastMetric = async (live: Client, id: string, metric: string): Promise<number> => {
  const { series } = expectStatus(await live.get<Metrics>(`/v1/distill/runs/${id}/metrics`), 200)
  return series.find(({ name }) => name === metric)?.points.at(-1)?.value ?? 0
}
