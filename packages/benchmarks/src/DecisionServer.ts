/**
 * Decisions of a deployment over HTTP beside a bare node:http server in the same process: the median latency of five questions with 20
 * options, and the longest pause of the event loop while one request asks 400.
 */
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import { client } from "@limbeck/testing/http/Client"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import * as Desk from "@limbeck/testing/http/DeskDecisions"
import * as Redacted from "effect/Redacted"
import { Pool } from "undici"

const questions = 5
const options = 20
const manyQuestions = 400
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 2_000)
const warmUps = 300
const manyRounds = 20

/** Of a request: the median latency, and the mean processor time of this process, which a busy machine does not lengthen. */
export interface RequestFigures {
  readonly millis: number
  readonly cpuMillis: number
}

export interface ServerFigures {
  readonly bare: RequestFigures
  readonly decisions: RequestFigures
  readonly many: RequestFigures
  readonly stallMillis: number
  /** Of the event loop while nothing happens. */
  readonly idleStallMillis: number
}

const decisionPath = "/v1/proxy/decisions"

const listening = async (handler: RequestListener) => {
  const server = createServer(handler).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // It listens on a port.
  return { server, pool: new Pool(`http://127.0.0.1:${port}`, { connections: 1 }) }
}

const medianOf = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

const post = async (pool: Pool, body: string, headers: Readonly<Record<string, string>>) => {
  const began = performance.now()
  const answer = await pool.request({ method: "POST", path: decisionPath, headers, body })
  const text = await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(text)
  return { millis: performance.now() - began, text }
}

const asked = async (times: number, ask: () => Promise<{ readonly millis: number }>): Promise<RequestFigures> => {
  const millis: Array<number> = []
  const before = process.cpuUsage()
  for (let round = 0; round < times; round++) millis.push((await ask()).millis)
  const { system, user } = process.cpuUsage(before)
  return { millis: medianOf(millis), cpuMillis: (system + user) / 1_000 / times }
}

/** The longest pause of the event loop during the work. */
const stallOf = async (work: () => Promise<unknown>): Promise<number> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await work()
  delay.disable()
  return delay.max / 1e6
}

const wide = Array.from({ length: questions }, (_, at) => ({
  type: "choice",
  name: `question ${at}`,
  instructions: `What is it about, of kind ${at}?`,
  choices: Array.from({ length: options }, (_, option) => ({ value: `option ${option}`, description: "a subject" }))
}))

const textOf = (row: number): string =>
  `${wide.map((_, at) => `kind${at}of${(row * (at + 1)) % options}`).join(" ")} number ${row}`

/** The text names the option of each question. */
const pairOf = (_: unknown, row: number) => ({
  request: { model: "teacher", input: textOf(row), questions: wide },
  response: {
    model: "teacher",
    answers: wide.map(({ choices, name, type }, at) => {
      const right = (row * (at + 1)) % options
      const probabilities = choices.map(({ value }, option) => ({ value, probability: Number(option === right) }))
      return { type, name, choice: choices[right]?.value, confidence: 1, probabilities }
    })
  }
})

const rows = 1_200

/** The figures of a server in this process; a student without a fallback answers. */
export const measure = async (): Promise<ServerFigures> => {
  const limbeck = await Limbeck.make({
    storage: StorageMemory.layer,
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    settings: { rateLimit: null }
  })
  const { liveToken } = limbeck.bootstrapped
  const live = client("http://host.test", liveToken, {
    send: (url, init) => limbeck.fetch(new Request(url, init))
  })
  const version = await Desk.versionOfPairs(live, Array.from({ length: rows }, pairOf))
  const { student_model } = await Desk.runOf(live, version.id, { dryRun: false })
  await deployAndWait(live, { alias: "wide", mode: "active", student_model })

  const ours = await listening(limbeck.node)
  const body = JSON.stringify({ model: "svc:wide", input: textOf(7), questions: wide })
  const headers = { authorization: `Bearer ${liveToken}`, "content-type": "application/json" }
  const { text: answer } = await post(ours.pool, body, headers)
  const bare = await listening(async (request, response) => {
    await request.toArray()
    response.writeHead(200, { "content-type": "application/json" }).end(answer)
  })
  const figuresOf = async (pool: Pool) => {
    await asked(warmUps, () => post(pool, body, headers))
    return asked(rounds, () => post(pool, body, headers))
  }
  const [bareFigures, decisions] = [await figuresOf(bare.pool), await figuresOf(ours.pool)]
  const manyAsked = Array.from({ length: manyQuestions }, (_, at) => ({ ...wide[at % questions], name: `many ${at}` }))
  const manyBody = JSON.stringify({ model: "svc:wide", input: textOf(7), questions: manyAsked })
  const askMany = () => asked(manyRounds, () => post(ours.pool, manyBody, headers))
  await askMany()
  let many = { millis: 0, cpuMillis: 0 }
  const stallMillis = await stallOf(async () => {
    many = await askMany()
  })
  const idleStallMillis = await stallOf(() => sleep(1_000))
  for (const { pool, server } of [ours, bare]) {
    await pool.close()
    server.close()
  }
  await limbeck.close()
  return { bare: bareFigures, decisions, many, stallMillis, idleStallMillis }
}
