/** Traces as a collector sees them: from a client through everything that its requests set going. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { createRun, dryRun, endedRun, readUntil } from "@limbeck/testing/http/Steps"
import { Collector } from "@limbeck/testing/telemetry/Collector"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { calls, versionOfCalls } from "./support/Captured.ts"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { chat, send } from "./support/Proxied.ts"
import { Receiver } from "./support/Receiver.ts"
import { subscribe } from "./support/Webhooks.ts"

const collector = await Collector.open()
const away = Models.closed
const models = new Models()
const receiver = new Receiver()
beforeAll(() => Promise.all([models.open(), receiver.open()]))
afterAll(() => {
  for (const server of [collector, models, receiver]) server.close()
})

/** The client's own span. */
const clientSpan = "00f067aa0ba902b7"
let traces = 0
const freshTrace = () => `${"a".repeat(24)}${String(++traces).padStart(8, "0")}`
const sampled = (trace: string) => ({ traceparent: `00-${trace}-${clientSpan}-01` })

const question = (text: string) =>
  JSON.stringify({ model: "gpt", messages: [{ role: "user", content: `a secret question ${text}` }] })

const sourceOf = async (caller: Client) => {
  const base_url = models.speaking("a secret answer")
  const fields = { name: "teacher", kind: "byok", base_url, api_key: key, default: true }
  expectStatus(await caller.post("/v1/sources", fields), 201)
  return base_url
}

const spansOf = (trace: string) => collector.spans.filter(({ traceId }) => traceId === trace)

const spanOf = (trace: string, name: string) =>
  collector.changes.until(`a span ${name}`, () => spansOf(trace).find((span) => span.name === name))

const promptly = { endpoint: collector.endpoint, tracesEvery: "50 millis", metricsEvery: "50 millis" } as const

onPostgres(
  "a trace",
  (house) => {
    it("goes from a client through the proxy and its upstream to the captured call, the version, the run and the deliveries (P335)", async () => {
      const workspace = await house.workspace()
      const trace = freshTrace()
      const base = await sourceOf(workspace.test)
      const url = receiver.url(`/${trace}`)
      await subscribe(workspace.test, url, ["distill.*"])
      const traced = workspace.test.with(sampled(trace))
      for (const text of ["a", "b", "c", "d"]) {
        expectStatus(await workspace.test.post(chat, JSON.parse(question(text)), sampled(trace)), 200)
      }
      await readUntil(
        () => workspace.test.get<ListOf<unknown>>(calls),
        ({ data }) => data.length === 4
      )
      const version = await versionOfCalls(traced, {}, { holdout_fraction: 0.25 })
      assert.strictEqual(version.status, "ready")
      const run = await endedRun(traced, expectStatus(await createRun(traced, dryRun(version.id)), 201).id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run))
      const ended = await receiver.changes.until("the delivery of the run's end", () =>
        receiver.allAt(url).find(({ headers }) => headers["service-event-type"] === "distill.run.succeeded")
      )

      const called = await spanOf(trace, "chat gpt")
      const delivered = await collector.changes.until("the delivery's span", () =>
        spansOf(trace).find(({ attributes }) => attributes["limbeck.event.type"] === "distill.run.succeeded")
      )
      const names = ["capture.store", "distill.version", "distill.run", "distill.stage", "webhook.delivery"]
      for (const name of names) await spanOf(trace, name)
      assert.strictEqual(String(ended.headers["traceparent"]).split("-")[1], trace)
      assert.strictEqual(delivered.attributes["limbeck.delivery.id"], String(ended.headers["service-delivery-id"]))
      const asked = models.at(base).filter(({ method }) => method === "POST")
      const spans = spansOf(trace).filter(({ name }) => name === "chat gpt")
      assert.sameMembers(
        asked.map(({ headers }) => headers["traceparent"]),
        spans.map(({ spanId }) => `00-${trace}-${spanId}-01`)
      )
      assert.isTrue(spans.some(({ spanId }) => spanId === called.spanId))
      // Each span's parent is another span, or the client's.
      await collector.changes.until("every parent", () => {
        const known = new Set([clientSpan, ...spansOf(trace).map(({ spanId }) => spanId)])
        return spansOf(trace).every(({ parentSpanId = "" }) => known.has(parentSpanId))
      })
    })

    it("shows of a call which models and how many tokens, and never what was said (P336)", async () => {
      const workspace = await house.workspace()
      const trace = freshTrace()
      await sourceOf(workspace.test)
      const answer = await send(house, workspace, { body: question("x"), headers: sampled(trace) })
      await answer.text()
      const { attributes } = await spanOf(trace, "chat gpt")
      assert.deepInclude(attributes, {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "teacher",
        "gen_ai.request.model": "gpt",
        "gen_ai.response.model": "gpt",
        "gen_ai.usage.input_tokens": 11,
        "gen_ai.usage.output_tokens": 3,
        "http.response.status_code": 200,
        "limbeck.served_by": "upstream"
      })
      assert.strictEqual(attributes["limbeck.call.id"], answer.headers.get("x-service-call-id"))
      const { attributes: route } = await spanOf(trace, "POST")
      assert.deepInclude(route, { "http.route": chat, "http.response.status_code": 200 })
      assert.notMatch(collector.bodies.join(), /secret|sk-upstream|svc_test_/)
    })

    it("is not begun for a client that does not sample, and its traceparent goes on as it is (P337)", async () => {
      const workspace = await house.workspace()
      const trace = freshTrace()
      const base = await sourceOf(workspace.test)
      const url = receiver.url(`/${trace}`)
      await subscribe(workspace.test, url, ["distill.*"])
      const traceparent = `00-${trace}-${clientSpan}-00`
      const answer = await send(house, workspace, { body: question("x"), headers: { traceparent } })
      await answer.text()
      assert.deepStrictEqual(
        models.at(base).flatMap(({ headers, method }) => (method === "POST" ? headers["traceparent"] : [])),
        [traceparent]
      )
      await versionOfCalls(workspace.test.with({ traceparent }), {})
      const told = await receiver.changes.until("a delivery", () => receiver.allAt(url)[0])
      assert.notProperty(told.headers, "traceparent")
      // A later traced request: earlier spans have been exported before its own.
      const after = freshTrace()
      expectStatus(await workspace.test.get("/v1/sources", sampled(after)), 200)
      await spanOf(after, "GET")
      assert.isEmpty(spansOf(trace))
      // No untraced request began a span either.
      assert.isTrue(collector.spans.every(({ traceId }) => traceId.startsWith("aaaa")))
    })
  },
  { telemetry: { ...promptly, sampleRatio: 0 } }
)

onPostgres(
  "a collector that is away",
  (house) => {
    it("holds no request up and fails none (P338)", async () => {
      const workspace = await house.workspace()
      await sourceOf(workspace.test)
      for (let call = 0; call < 20; call++) {
        const answer = await send(house, workspace, { body: question("x") })
        assert.strictEqual(answer.status, 200)
        await answer.text()
      }
      assert.strictEqual((await versionOfCalls(workspace.test, {})).status, "ready")
    })
  },
  { telemetry: { ...promptly, endpoint: away, sampleRatio: 1 } }
)
