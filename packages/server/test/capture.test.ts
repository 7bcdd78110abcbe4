// @effect-diagnostics globalFetch:off
/** The captured parts of calls through the proxy (contract 6, 7). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { create } from "@limbeck/testing/http/SourceSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type CallView, calls, type Detail, idsOf, listed } from "./support/Captured.ts"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onEachStorage, type Workspace } from "./support/House.ts"
import { capturedUsage } from "./support/Provider.ts"

const chat = "/v1/proxy/chat/completions"
const callHeader = "x-service-call-id"

const request = { model: "gpt", messages: [{ role: "user", content: "The capital of France?" }] }

const tokenOf = ({ liveToken }: Workspace) => liveToken.replace("live", "test")

interface SentRequest {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

const send = (house: House, workspace: Workspace, { body = request, headers, path = chat, signal }: SentRequest = {}) =>
  fetch(house.origin + path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${tokenOf(workspace)}`, "content-type": "application/json", ...headers },
    ...(signal === undefined ? {} : { signal })
  })

/** The call, after its whole answer. */
const kept = async (caller: Client, answer: Response) => {
  await answer.text().catch(() => undefined)
  const id = answer.headers.get(callHeader) ?? ""
  return expectStatus(await caller.get<Detail>(`/v1/distill/calls/${id}`), 200)
}

describe("a proxied call", () => {
  const upstream = new Models()
  beforeAll(() => upstream.open())
  afterAll(() => upstream.close())

  onEachStorage("captured", (house) => {
    const open = async (base_url: string, fields = {}) => {
      const workspace = await house.workspace()
      const source = await create(workspace.test, { base_url, default: true, ...fields })
      return { workspace, caller: workspace.test, source }
    }

    it("has the labels that its caller wrote, in UTF-8 or in Latin-1, and its id goes back as it came (P382)", async () => {
      const { caller, workspace } = await open(upstream.speaking("Paris"))
      for (const encoding of ["utf8", "latin1"] as const) {
        const bytes = (text: string) => Buffer.from(text, encoding).toString("latin1")
        // 255 characters, of which UTF-8 has more bytes.
        const id = `${encoding} ${"é".repeat(254 - encoding.length)}`
        const headers = { "x-service-tags": bytes("große Städte, é"), "x-service-external-id": bytes(id) }
        const answer = await send(house, workspace, { headers })
        assert.strictEqual(answer.headers.get("x-service-external-id"), headers["x-service-external-id"])
        const call = await kept(caller, answer)
        assert.deepInclude<object>(call, { tags: ["große Städte", "é"], external_id: id })
        const found = await caller.get<ListOf<CallView>>(`${calls}?external_id=${encodeURIComponent(id)}`)
        assert.deepStrictEqual(
          expectStatus(found, 200).data.map((shown) => shown.id),
          [call.id]
        )
      }
    })

    it("is kept with its question, its answer, and what the caller said of it", async () => {
      const models = [{ id: "gpt", input_per_million: 2, output_per_million: 10 }]
      const { caller, source, workspace } = await open(upstream.speaking("Paris"), { models })
      const headers = { "x-service-tags": "geo, eu", "x-service-external-id": "order 5" }
      const call = await kept(caller, await send(house, workspace, { headers }))
      assert.deepInclude<object>(call, {
        object: "captured_call",
        livemode: false,
        endpoint: "chat.completions",
        source: source.id,
        source_name: source.name,
        model: "gpt",
        served_by: "upstream",
        deployment: null,
        tags: ["geo", "eu"],
        external_id: "order 5",
        outcome: "succeeded",
        status_code: 200,
        streamed: false,
        request,
        usage: capturedUsage({ prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 }),
        cost_usd: 0.000052,
        billed: false
      })
      assert.nestedPropertyVal(call, "response.choices[0].message.content", "Paris")
    })

    it("is kept whichever route it took; a list of models is no call", async () => {
      const { caller, workspace } = await open(upstream.speaking("Paris"))
      for (const name of ["embeddings", "responses"]) {
        const { endpoint } = await kept(caller, await send(house, workspace, { path: `/v1/proxy/${name}` }))
        assert.strictEqual(endpoint, name)
      }
      await caller.get("/v1/proxy/models")
      assert.lengthOf((await listed(caller)).data, 2)
    })

    it("has failed when the source does, with the status that the client was told (P70)", async () => {
      const broken = upstream.base((_, response) => void response.writeHead(529).end("busy"))
      const cut = upstream.base((asked, response) => {
        response.writeHead(200, { "content-type": "text/plain" }).write("half", () => asked.socket.destroy())
      })
      const silent = upstream.base(() => {})
      const closed = Models.closed
      for (const [base_url, kind, status, response] of [
        [broken, "byok", 529, "busy"],
        [broken, "managed", 529, null],
        [cut, "byok", 200, "half"],
        [closed, "byok", 502, null],
        [closed, "managed", 502, null],
        [silent, "byok", 504, null],
        [silent, "managed", 504, null]
      ] as const) {
        const { caller, workspace } = await open(base_url, {
          kind,
          models: ["gpt"],
          timeout_ms: base_url === silent ? 200 : 60_000
        })
        const answer = await send(house, workspace)
        assert.strictEqual(answer.status, status)
        const call = await kept(caller, answer)
        assert.deepInclude<object>(call, { outcome: "failed", status_code: status, response, billed: false })
      }
    })

    it("is none when it was refused before anybody was asked (P70)", async () => {
      const { caller, workspace } = await open(upstream.speaking("Paris"), { kind: "managed", models: ["gpt"] })
      const refusals = [
        [400, { headers: { "x-service-source": "unknown" } }],
        [400, { headers: { "x-service-tags": "x".repeat(65) } }],
        [400, { body: { ...request, model: "other" } }],
        [404, { body: { ...request, model: "svc:nothing" } }],
        [401, { headers: { authorization: "Bearer svc_test_wrong" } }]
      ] as const
      for (const [status, sent] of refusals) assert.strictEqual((await send(house, workspace, sent)).status, status)
      const after = await send(house, workspace)
      await kept(caller, after)
      assert.deepStrictEqual(idsOf(await listed(caller)), [after.headers.get(callHeader)])
    })

    it("of a client that left is aborted, before the head of a whole answer and in the middle of a stream (P70)", async () => {
      let asked = () => {}
      const slow = upstream.base((incoming, response) => {
        if (incoming.headers["x-begins"] === "yes") {
          response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n")
        }
        asked()
      })
      const { caller, workspace } = await open(slow)
      for (const [begins, status, response] of [
        ["no", null, null],
        ["yes", 200, "data: 1\n\n"]
      ] as const) {
        const arrived = new Promise<void>((resolve) => {
          asked = resolve
        })
        const leaving = new AbortController()
        const answering = send(house, workspace, { signal: leaving.signal, headers: { "x-begins": begins } })
        await arrived
        if (begins === "yes") await (await answering).body?.getReader().read()
        leaving.abort()
        await answering.catch(() => undefined)
        const [call] = await readUntil(
          () => caller.get<ListOf<CallView>>(`${calls}?outcome=aborted`),
          ({ data }) => data.length === (begins === "no" ? 1 : 2)
        ).then(({ data }) => data)
        assert.strictEqual(call?.status_code, status)
        if (response !== null) assert.include(JSON.stringify(call?.response), "1")
      }
    })

    it("is not kept when its source says so, wholly or in part", async () => {
      const base_url = upstream.speaking("Paris")
      const off = await open(base_url, { capture: { enabled: false } })
      const part = await open(base_url, { capture: { sample_rate: 0.5 } })
      for (const { workspace } of [off, part]) {
        for (let count = 0; count < 40; count++) await (await send(house, workspace)).text()
      }
      await readUntil(
        () => part.caller.get<ListOf<CallView>>(calls),
        ({ data }) => data.length > 5
      )
      assert.isBelow((await listed(part.caller)).data.length, 36)
      assert.isEmpty((await listed(off.caller)).data)
    })

    it("keeps nothing of the caller's and the upstream's headers (P71)", async () => {
      const secretive = upstream.base((_, response) => {
        response.writeHead(200, {
          "content-type": "text/plain",
          "set-cookie": "upstream-cookie",
          "x-odd": "upstream-odd"
        })
        response.end("hello")
      })
      const { caller, workspace } = await open(secretive)
      const headers = { cookie: "caller-cookie", "x-api-key": "caller-key", "x-odd": "caller-odd" }
      const text = JSON.stringify(await kept(caller, await send(house, workspace, { headers })))
      for (const secret of ["cookie", "-key", "-odd", tokenOf(workspace)]) assert.notInclude(text, secret)
    })

    it("is counted in health while it waits, and dropped is none", async () => {
      const { workspace } = await open(upstream.speaking("Paris"))
      await (await send(house, workspace)).text()
      const { capture } = await readUntil(
        () => house.client(null).get<{ readonly capture: { readonly waiting: number } }>("/healthz"),
        ({ capture }) => capture.waiting === 0
      )
      assert.deepStrictEqual<object>(capture, { waiting: 0, dropped: 0, trouble: null })
    })
  })
})
