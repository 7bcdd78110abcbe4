/** A server is killed while it embeds the texts of a training; recorded embeddings are not asked for again. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { embeddingsOf, rowsOf } from "@limbeck/testing/fixtures/TopicWords"
import { Api, isOver, type Run } from "../Api.ts"
import { usedFolder } from "../DataFolder.ts"
import { liveToken, quiet, Server } from "../Server.ts"

/** Requests answered before the kill; the others wait. */
const answeredFirst = 3
/** More requests than may be sent at a time. */
const rows = (answeredFirst + DistillLimits.studentAskedMax + 4) * DistillLimits.embeddedTextsMax

interface Metrics {
  readonly series: ReadonlyArray<{ readonly name: string; readonly points: ReadonlyArray<{ readonly value: number }> }>
}

const recordedOf = async (api: Api, { id }: Run): Promise<number> => {
  const { series } = await api.get<Metrics>(`/v1/distill/runs/${id}/metrics`)
  return series.find(({ name }) => name === "embedded_texts")?.points.at(-1)?.value ?? 0
}

/** Answers some requests, and holds the others until released. */
const heldEmbedder = async (atEnd: AtEnd) => {
  const asked: Array<ReadonlyArray<string>> = []
  const state = { isHeld: true }
  const server = createServer(async (request, response) => {
    const { input, model } = JSON.parse((await request.toArray()).join(""))
    asked.push(input)
    if (state.isHeld && asked.length > answeredFirst) return
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(embeddingsOf(model, input)))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // It listens on a port.
  return { base_url: `http://127.0.0.1:${port}/v1`, asked, state }
}

const planOn = async (api: Api) => {
  const lines = rowsOf(rows, 0).map((row, at) => {
    const [{ content }] = row.messages
    return JSON.stringify({ ...row, messages: [{ role: "user", content: `${content} ${at}` }] })
  })
  const upload = await api.upload(lines.join("\n"))
  await api.uploaded(upload)
  const dataset = await api.create<{ readonly id: string }>("/v1/distill/datasets", { name: "topics" })
  const from = { from: { upload: upload.id }, holdout_fraction: 0 }
  const version = await api.built(await api.create(`/v1/distill/datasets/${dataset.id}/versions`, from))
  const config = { epochs: 3, embeddings: { source: "embedder", model: "embed" } }
  const stages = [
    { kind: "sft", config },
    { kind: "publish", config: {} }
  ]
  return {
    dataset_version: version.id,
    recipe: { student_model: "builtin/embedding-classifier", stages, rewards: [] },
    budget: { max_cost_usd: 5 },
    dry_run: false
  }
}

export const embeddedTexts = async (atEnd: AtEnd) => {
  const { asked, base_url, state } = await heldEmbedder(atEnd)
  const DATA_DIR = await usedFolder(atEnd)
  const environment = { ...quiet, STORAGE: "embedded", DATA_DIR, EGRESS_ALLOW: "127.0.0.0/8" }
  const server = await new Server(atEnd, environment).start()
  const api = new Api(server, liveToken)
  const models = [{ id: "embed", input_per_million: 1, output_per_million: 1 }]
  await api.create("/v1/sources", { name: "embedder", kind: "byok", base_url, models })
  const run = await api.create<Run>("/v1/distill/runs", await planOn(api))
  const first = answeredFirst * DistillLimits.embeddedTextsMax
  await eventually("all answers are recorded, and as many requests as may be wait", async () => {
    const isAsked = asked.length === answeredFirst + DistillLimits.studentAskedMax
    return isAsked && (await recordedOf(api, run)) === first
  })
  const before = asked.length
  await server.kill()
  state.isHeld = false
  await server.start()
  const ended = await eventually("the run is over", async () => {
    const found = await api.get<Run>(`/v1/distill/runs/${run.id}`)
    return isOver(found) ? found : undefined
  })
  assert.strictEqual(ended.status, "succeeded")
  const texts = asked.flat()
  const again = new Set(asked.slice(before).flat())
  assert.isTrue(asked.slice(0, answeredFirst).every((batch) => batch.every((text) => !again.has(text))))
  // Only the waiting requests are sent again.
  assert.strictEqual(texts.length, rows + DistillLimits.studentAskedMax * DistillLimits.embeddedTextsMax)
  assert.strictEqual(new Set(texts).size, rows)
}
