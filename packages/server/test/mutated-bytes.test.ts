// @effect-diagnostics globalFetch:off
/** Requests and upstream answers with random mistakes in their bytes: none is a defect, and none stops the server. */
import { once } from "node:events"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { announce, contentPath } from "@limbeck/testing/http/Steps"
import * as Generator from "@limbeck/testing/random/Generator"
import { mutated } from "@limbeck/testing/random/Mutations"
import { Models } from "@limbeck/testing/upstream/Models"
import { expectStatus } from "./support/Client.ts"
import { onMemory, type Workspace } from "./support/House.ts"
import { chat, chunksOf, send, withSource } from "./support/Proxied.ts"

const requests = caseCount(2_000, 20_000)
const answers = caseCount(100, 5_000)

/** A socket that gives no answer and stays open for this time is a hang. */
const hangMillis = 20_000

/** The response to the bytes of a client that sends no more. */
const raw = async (origin: string, bytes: Uint8Array): Promise<string> => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1")
  const chunks: Array<Buffer> = []
  socket.on("data", (chunk) => chunks.push(chunk)).on("error", () => {})
  socket.end(bytes)
  const timeout = new AbortController()
  const late = sleep(hangMillis, "late", { signal: timeout.signal }).catch(() => "closed")
  const ended = await Promise.race([once(socket, "close"), late])
  timeout.abort()
  socket.destroy()
  assert.notStrictEqual(ended, "late", JSON.stringify(Buffer.from(bytes).toString("latin1")))
  return Buffer.concat(chunks).toString("latin1")
}

const requestOf = (token: string, line: string, headers: ReadonlyArray<string>, body: string) => {
  const fixed = ["host: limbeck.example", "connection: close", `authorization: Bearer ${token}`]
  return Buffer.from([`${line} HTTP/1.1`, ...fixed, ...headers, "", body].join("\r\n"))
}

const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`

const json = "content-type: application/json"

/** One valid request of each kind of body and header. */
const samplesOf = async ({ live, liveToken }: Workspace): Promise<ReadonlyArray<Buffer>> => {
  const upload = await announce(live)
  const body = JSON.stringify({ model: "gpt", messages: [{ role: "user", content: "é" }], stream: true })
  const bare = (line: string, headers: ReadonlyArray<string> = [], text = "") =>
    requestOf(liveToken, line, headers, text)
  const whole = (line: string, headers: ReadonlyArray<string>, text: string) =>
    bare(line, [...headers, `content-length: ${Buffer.byteLength(text)}`], text)
  return [
    bare("GET /v1/distill/datasets?limit=2&created_after=2026-01-01T00:00:00Z"),
    bare("HEAD /v1/events?order=asc"),
    bare("GET /v1/distill/calls?cursor=eyJhIjoxfQ", ["accept-encoding: gzip, br", "service-version: 2026-11-01"]),
    bare("POST /v1/distill/datasets", [json, "transfer-encoding: chunked"], chunked('{"name":"in parts"}')),
    whole("POST /v1/distill/datasets", [json, "idempotency-key: k1"], '{"name":"tickets"}'),
    whole("POST /v1/distill/runs", [json, "idempotency-key: k2"], '{"dataset_version":"dsv_1","dry_run":true}'),
    whole("PATCH /v1/tokens/tok_00000000000000000000000000", [json], '{"name":"a"}'),
    whole(`POST ${chat}`, [json, "x-service-tags: a,b", "x-service-external-id: 7"], body),
    whole("POST /v1/proxy/messages", [json, "anthropic-version: 2023-06-01"], body),
    whole(`PUT ${contentPath(upload)}`, ["content-range: bytes 0-3/4"], "{}\n\n")
  ]
}

const delta = (content: string) =>
  `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] })}\n\n`

/** A stream and a whole answer, as an upstream sends them. */
const upstreamAnswers = [
  { type: "text/event-stream", text: `${delta("Par")}${delta("is")}data: [DONE]\n\n` },
  {
    type: "application/json",
    text: JSON.stringify({
      id: "c",
      object: "chat.completion",
      model: "gpt",
      choices: [{ index: 0, message: { role: "assistant", content: "Paris" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }
    })
  }
] as const

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

onMemory("random mistakes", (house) => {
  it("in requests get an answer that is no defect, or none (P1857)", async () => {
    const workspace = await house.workspace()
    const samples = await samplesOf(workspace)
    const generator = Generator.make(20_261_128)
    for (let number = 0; number < requests; number++) {
      const bytes = mutated(generator.pick(samples), generator)
      const text = await raw(house.origin, bytes)
      const [, status = "none"] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? []
      assert.isTrue(text === "" || status !== "none", text)
      assert.notInclude(["500", "501"], status, JSON.stringify(bytes.toString("latin1")))
    }
    expectStatus(await workspace.live.get("/v1/whoami"), 200)
  })

  it("in an upstream's answer pass as they came, and the call is stored (P1857)", async () => {
    const generator = Generator.make(20_261_129)
    let sent: { readonly type: string; readonly bytes: Buffer } = { type: "", bytes: Buffer.alloc(0) }
    const { workspace } = await withSource(house, upstream, (_, response) => {
      response.writeHead(200, { "content-type": sent.type, "content-length": sent.bytes.length }).end(sent.bytes)
    })
    const calls: Array<string> = []
    while (calls.length < answers) {
      const { text, type } = generator.pick(upstreamAnswers)
      sent = { type, bytes: mutated(Buffer.from(text), generator) }
      const answer = await send(house, workspace)
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(await chunksOf(answer), sent.bytes)
      calls.push(answer.headers.get("x-service-call-id") ?? "")
    }
    for (const call of calls) {
      const isStored = async () => (await workspace.test.get(`/v1/distill/calls/${call}`)).status === 200
      await eventually("the call is stored", isStored)
    }
  })
})
