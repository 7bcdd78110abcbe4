/**
 * Runs that request second answers from the teacher, each killed when the teacher has received a certain number of these requests. The
 * teacher counts what it charges, and charges every request that it received.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises"
import { assert } from "@effect/vitest"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { sized } from "@limbeck/testing/Campaign"
import { openSchema } from "@limbeck/testing/database/Database"
import { url } from "@limbeck/testing/fixtures/Postgres"
import { type Client, client, expectStatus, type ListOf } from "@limbeck/testing/http/Client"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { createRun, endedRun, until } from "@limbeck/testing/http/Steps"
import * as ProxyServers from "../support/ProxyServers.ts"

const kills = sized(1, 10)
const liveToken = ProxyServers.token.replace("test", "live")
const usage = { prompt_tokens: 10, completion_tokens: 1_000, total_tokens: 1_010 }
const price = { input_per_million: 1, output_per_million: 10 }
const microsOfCall = 10 * 1 + 1_000 * 10
const captured = 260
const capturedAtOnce = 20
const repeats = 100
/** Turns of the event loop for what has arrived at this machine: one accepts a connection, further ones read its request. */
const quietTurns = 10

/** Answers every request of a model after a while. */
const provider = async (atEnd: AtEnd) => {
  const received: Array<{ readonly model: string; readonly question: string }> = []
  let onReceived = () => {}
  const server = createServer(async (request, response) => {
    const { messages, model } = JSON.parse((await request.toArray()).join(""))
    received.push({ model, question: messages[0].content })
    onReceived()
    await sleep(60)
    const choices = [{ index: 0, message: { role: "assistant", content: "refund" }, finish_reason: "stop" }]
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices, usage }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  let open = 0
  let onIdle = () => {}
  server.on("connection", (socket) => {
    open++
    socket.once("close", () => {
      if (--open === 0) onIdle()
    })
  })
  const askedAgain = () => received.filter(({ model }) => model === "teacher").slice(captured)
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, // It listens on a port.
    received,
    askedAgain,
    /** Once every request of a killed server was counted: connections that wait to be accepted are accepted, read and closed. */
    idle: async () => {
      for (let quiet = 0, counted = -1; quiet < quietTurns; quiet++) {
        if (open > 0) {
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
    /** Once the teacher has received so many requests for a second answer. */
    reached: (count: number) =>
      new Promise<void>((resolve) => {
        onReceived = () => {
          if (askedAgain().length >= count) resolve()
        }
      })
  }
}

/** Of calls that the teacher answered through the proxy. */
const versionOfTraffic = async (live: Client, source: string) => {
  const ask = async (index: number) => {
    const body = { model: "teacher", messages: [{ role: "user", content: `ticket ${index}` }] }
    expectStatus(await live.post("/v1/proxy/chat/completions", body, { "x-service-source": source }), 200)
  }
  for (let first = 0; first < captured; first += capturedAtOnce) {
    await Promise.all(Array.from({ length: capturedAtOnce }, (_, index) => ask(first + index)))
  }
  const dataset = expectStatus(await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "calls" }), 201)
  const path = `/v1/distill/datasets/${dataset.id}/versions`
  // Calls wait in the journal for a moment.
  for (;;) {
    const from = { calls: { source } }
    const made = expectStatus(await live.post<typeof DatasetVersion.Type>(path, { from, holdout_fraction: 0.5 }), 201)
    const version = await until(
      () => live.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${made.id}`),
      ({ status }) => status !== "building"
    )
    if (version.rows === captured) return version
  }
}

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly value: number }> }>
}

const recordedOf = async (live: Client, id: string): Promise<number> => {
  const { series } = expectStatus(await live.get<Metrics>(`/v1/distill/runs/${id}/metrics`), 200)
  return series.find(({ name }) => name === "teacher_repeats")?.points.at(-1)?.value ?? 0
}

export const teachersKilled = async (atEnd: AtEnd) => {
  const { schema } = await openSchema(atEnd)
  const directory = ProxyServers.temporaryFolder(atEnd, "journal")
  const servers = ProxyServers.open(atEnd, { url, schema, directory, token: ProxyServers.token, liveToken })
  for (let kill = 0; kill < kills; kill++) {
    let server = servers.start()
    let live = client(await server.origin, liveToken)
    const teacher = await provider(atEnd)
    const models = ["teacher", "other"].map((id) => ({ id, ...price }))
    const { name } = await createSource(live, { base_url: teacher.base_url, models })
    const version = await versionOfTraffic(live, name)
    assert.isAtLeast(version.holdout_rows ?? 0, repeats)
    const config = { candidates: [{ source: name, model: "other" }], teacher_repeats: repeats, sample: repeats }
    const recipe = { student_model: "none", stages: [{ kind: "eval", config }], rewards: [] }
    const body = { dataset_version: version.id, recipe, budget: { max_cost_usd: 20 }, dry_run: false }
    const reached = teacher.reached(Math.ceil(((kill + 0.5) / kills) * 0.9 * repeats))
    const { id } = expectStatus(await createRun(live, body), 201)
    await reached
    const recorded = await recordedOf(live, id)
    await server.end()
    await teacher.idle()
    const unrecorded = teacher.askedAgain().length - recorded
    server = servers.start()
    live = client(await server.origin, liveToken)
    const run = await endedRun(live, id)
    assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
    const questions = teacher.askedAgain().map(({ question }) => question)
    assert.strictEqual(new Set(questions).size, repeats)
    assert.isAtMost(questions.length - repeats, unrecorded)
    assert.strictEqual(await recordedOf(live, id), repeats)
    const charged = (teacher.received.length - captured) * microsOfCall
    assert.isAtLeast(Math.round(run.totals.cost_usd * 1e6), charged)
    // Second answers are no calls of anybody: the teacher's captured calls are the caller's alone.
    const calls = await live.get<ListOf<object>>(`/v1/distill/calls?model=teacher&limit=100&tag=teacher_repeat`)
    assert.lengthOf(expectStatus(calls, 200).data, 0)
    await server.end()
  }
}
