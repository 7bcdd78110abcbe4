// @effect-diagnostics globalFetch:off
/** What a client gets of a source with fallbacks and retries, whatever its upstreams do (contract 16.8). */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Source } from "@limbeck/api/SourcesApi"
import { create, sources } from "@limbeck/testing/http/SourceSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import { calls, type Detail } from "./support/Captured.ts"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage, type Workspace } from "./support/House.ts"
import { chat, headersOf } from "./support/Proxied.ts"

type SourceView = typeof Source.Type

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const json = { "content-type": "application/json" }
const sse = { "content-type": "text/event-stream" }
const bodyOf = (content: string) =>
  JSON.stringify({ id: "c", choices: [{ index: 0, message: { role: "assistant", content } }] })
const chunk = `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content: "par" } }] })}\n\n`

const answering =
  (content: string): RequestListener =>
  (_, response) =>
    void response.writeHead(200, json).end(bodyOf(content))

const refusing =
  (status: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { ...json, ...headers }).end(`{"error":{"message":"${status}"}}`)

/** Breaks the connection when what was written before has gone out. */
const cutting = (begin: (response: ServerResponse, cut: () => void) => void): RequestListener => {
  return (request: IncomingMessage, response) => begin(response, () => void request.socket.destroy())
}

const faults: Readonly<Record<string, RequestListener>> = {
  "429 without Retry-After": refusing(429),
  "429 with Retry-After": refusing(429, { "retry-after": "0" }),
  "408": refusing(408),
  "500": refusing(500),
  "502": refusing(502),
  "503": refusing(503),
  "504": refusing(504),
  "529": refusing(529),
  hang: () => {},
  "cut before the head": cutting((_, cut) => cut()),
  "cut between the head and the first byte": cutting((response, cut) => {
    response.writeHead(200, sse)
    response.flushHeaders()
    setImmediate(cut)
  })
}

interface SentRequest {
  readonly status: number
  readonly text: string
  readonly upstream: string | null
  readonly call: Detail
}

const ask = async (house: House, workspace: Workspace, body: object = {}): Promise<SentRequest> => {
  const { test } = workspace
  const answer = await fetch(house.origin + chat, {
    method: "POST",
    headers: headersOf(workspace),
    body: JSON.stringify({ model: "gpt", messages: [{ role: "user", content: "?" }], ...body })
  })
  const text = await answer.text().catch(() => "broken")
  const id = answer.headers.get("x-service-call-id") ?? ""
  const call = await test.get<Detail>(`${calls}/${id}`)
  return {
    status: answer.status,
    text,
    upstream: answer.headers.get("x-service-upstream"),
    call: expectStatus(call, 200)
  }
}

const attemptsOf = ({ call }: SentRequest) => call.attempts.map(({ model, status_code: status }) => [model, status])

onOneStorage(
  "a source",
  (house) => {
    /** A default source that behaves like this, with a fallback that answers `second`. */
    const begin = async (listener: RequestListener, fields: object = {}) => {
      const workspace = await house.workspace()
      const [first, second] = [upstream.base(listener), upstream.base(answering("second"))]
      const fallback = await create(workspace.test, { name: "second", base_url: second })
      const source = await create(workspace.test, {
        name: "first",
        base_url: first,
        default: true,
        timeout_ms: 500,
        fallbacks: [{ source: "second", model: "mini" }],
        ...fields
      })
      return { workspace, first, second, source, fallback }
    }

    it.each(Object.entries(faults))("that has a fallback answers by it on %s (P1115)", async (_, listener) => {
      const { fallback, first, second, source, workspace } = await begin(listener)
      const sent = await ask(house, workspace)
      assert.deepInclude(sent, { status: 200, text: bodyOf("second"), upstream: "second" })
      assert.deepInclude(sent.call, { source: fallback.id, outcome: "succeeded", model: "gpt" })
      assert.deepEqual(
        sent.call.attempts.map((attempt) => attempt.source),
        [source.id, fallback.id]
      )
      assert.strictEqual(upstream.at(first).length, 1)
      assert.strictEqual(JSON.parse(upstream.at(second)[0]?.body ?? "").model, "mini")
    })

    it("passes on what its first source answers, and asks nobody else, after a byte has come (P1116)", async () => {
      const { first, second, workspace } = await begin(
        cutting((response, cut) => {
          response.writeHead(200, sse)
          response.write(chunk, () => setImmediate(cut))
        }),
        { retries: 2 }
      )
      const sent = await ask(house, workspace, { stream: true })
      assert.deepInclude(sent.call, { outcome: "failed" })
      assert.deepEqual(attemptsOf(sent), [["gpt", 200]])
      assert.deepEqual([upstream.at(first).length, upstream.at(second).length], [1, 0])
    })

    it.each([400, 401, 403, 404, 422])(
      "passes on a %i, which another attempt would meet again (P1115)",
      async (status) => {
        const { second, workspace } = await begin(refusing(status))
        const sent = await ask(house, workspace)
        assert.deepInclude(sent, { status, upstream: "first" })
        assert.isEmpty(upstream.at(second))
      }
    )

    it("is asked again as often as its retries say, after what Retry-After says (P1115)", async () => {
      let count = 0
      const { first, second, source, workspace } = await begin(
        (request, response) =>
          ++count < 3
            ? refusing(429, { "retry-after": "0" })(request, response)
            : answering("third time")(request, response),
        { retries: 2 }
      )
      const sent = await ask(house, workspace)
      assert.deepInclude(sent, { status: 200, text: bodyOf("third time"), upstream: "first" })
      assert.deepEqual(attemptsOf(sent), [
        ["gpt", 429],
        ["gpt", 429],
        ["gpt", 200]
      ])
      assert.strictEqual(sent.call.source, source.id)
      assert.deepEqual([upstream.at(first).length, upstream.at(second).length], [3, 0])
    })

    it("whose last attempt fails too gives the client that failure, with all attempts captured (P1115)", async () => {
      const { source, workspace } = await begin(refusing(503))
      const last = await create(workspace.test, { name: "last", base_url: upstream.base(refusing(500)) })
      expectStatus(await workspace.test.patch(`${sources}/${source.id}`, { fallbacks: [{ source: last.id }] }), 200)
      const sent = await ask(house, workspace)
      assert.deepInclude(sent, { status: 500, upstream: "last" })
      assert.deepEqual(attemptsOf(sent), [
        ["gpt", 503],
        ["gpt", 500]
      ])
      assert.strictEqual(sent.call.outcome, "failed")
    })

    it("is passed over for 10 s after 5 failures in a row, and is asked again after that (P1117)", async () => {
      let isWell = false
      const { first, workspace } = await begin((request, response) =>
        (isWell ? answering("first") : refusing(500))(request, response)
      )
      for (let count = 0; count < 7; count++) assert.strictEqual((await ask(house, workspace)).upstream, "second")
      assert.strictEqual(upstream.at(first).length, 5)
      isWell = true
      house.passTime(10_001)
      assert.deepInclude(await ask(house, workspace), { upstream: "first", text: bodyOf("first") })
    })

    it("takes fallbacks that exist, speak its dialect and do not lead back to it (P1118)", async () => {
      const { test } = await house.workspace()
      const [a, b] = [await create(test, { name: "a" }), await create(test, { name: "b" })]
      const other = await create(test, { name: "other", dialect: "anthropic" })
      const give = (source: SourceView, fallbacks: unknown) => test.patch(`${sources}/${source.id}`, { fallbacks })
      const refused = async (fallbacks: unknown, param: string, source = a) =>
        assertRefused(await give(source, fallbacks), 400, "invalid_request_error", param)
      await refused([{ source: "nobody" }], "fallbacks[0].source")
      await refused([{ source: "b" }, { source: other.id }], "fallbacks[1].source")
      await refused([{ source: "a" }], "fallbacks[0].source")
      await refused(
        Array.from({ length: 5 }, () => ({ source: "b" })),
        "fallbacks"
      )
      await refused([{ source: "b", model: "" }], "fallbacks[0].model")
      assert.deepEqual<unknown>(expectStatus(await give(a, [{ source: "b" }]), 200), {
        ...a,
        fallbacks: [{ source: b.id }],
        updated_at: expectStatus(await test.get<SourceView>(`${sources}/${a.id}`), 200).updated_at
      })
      await refused([{ source: "a" }], "fallbacks[0].source", b)
      assertRefused(
        await test.patch(`${sources}/${b.id}`, { dialect: "anthropic" }),
        400,
        "invalid_request_error",
        "dialect"
      )
      assertRefused(await test.delete(`${sources}/${b.id}`), 409, "conflict_error")
      expectStatus(await give(a, []), 200)
      expectStatus(await test.delete(`${sources}/${b.id}`), 200)
      await refusedRetries(test, a)
    })

    const refusedRetries = async (test: Client, { id }: SourceView) => {
      for (const retries of [-1, 4, 0.5, "1"]) {
        assertRefused(await test.patch(`${sources}/${id}`, { retries }), 400, "invalid_request_error", "retries")
      }
    }
  },
  { egressAllow: ["127.0.0.0/8"] }
)
