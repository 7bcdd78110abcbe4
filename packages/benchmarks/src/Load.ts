/** A closed loop of clients over persistent connections, with its measurements. */
import { performance } from "node:perf_hooks"
import { Pool } from "undici"
import * as Latency from "./Latency.ts"

export interface Request {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface LoadOptions {
  readonly origin: string
  readonly clients: number
  readonly seconds: number
  /** The n-th request. */
  readonly request: (n: number) => Request
  readonly expectedStatus: number
}

export interface Measurement {
  readonly requests: number
  readonly perSecond: number
  readonly latency: Latency.Latency
}

export const run = async (options: LoadOptions): Promise<Measurement> => {
  const pool = new Pool(options.origin, { connections: options.clients, pipelining: 1 })
  const latencies: Array<number> = []
  const startedAt = performance.now()
  const endsAt = startedAt + options.seconds * 1000
  let next = 0
  const client = async () => {
    while (performance.now() < endsAt) {
      const { body, headers = {}, method, path } = options.request(next++)
      const sentAt = performance.now()
      const response = await pool.request({ method, path, headers: { ...headers }, body: body ?? null })
      const text = await response.body.text()
      if (response.statusCode !== options.expectedStatus) throw new Error(`${response.statusCode}: ${text}`)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: options.clients }, client))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return { requests: latencies.length, perSecond: latencies.length / seconds, latency: Latency.of(latencies) }
}
