/** The samples of docs/receiving.md work unchanged. */
import express from "express"
import Fastify from "fastify"
import { assert, describe, it, onTestFinished } from "vitest"
import type { VerifiedEvent } from "../../src/webhooks/internal/receiver.ts"
import { listen, send } from "../support/Listening.ts"
import { runSample, samplesOf } from "../support/Samples.ts"
import { body, event, freshHeaders, secret } from "../support/Signed.ts"

/** What the samples leave open. */
const open = () => {
  const received: Array<VerifiedEvent> = []
  return { received, given: { secret, handler: (one: VerifiedEvent) => received.push(one) } }
}

const assertTakes = async (url: string, received: ReadonlyArray<VerifiedEvent>) => {
  assert.strictEqual((await send(url, { headers: freshHeaders() }, body)).status, 204)
  assert.deepStrictEqual(received[0]?.event, event)
}

describe("the samples", () => {
  const inExpress = samplesOf("Express")

  it("are as many as there are tests of them", () => {
    const headings = ["Express", "Fastify", "Fetch: Bun, Deno, workers, Hono, Next.js", "Anything else"]
    assert.deepStrictEqual(
      headings.map((heading) => samplesOf(heading).length),
      [2, 1, 1, 1]
    )
  })

  for (const [index, sample] of inExpress.entries()) {
    it(`for Express receive: number ${index + 1}`, async () => {
      const { given, received } = open()
      const app = express()
      await runSample(sample, { ...given, app, express })
      app.post("/other", (request, response) => void response.json(request.body))
      const { url } = await listen(app)
      await assertTakes(`${url}s`, received)
      const other = await send(url.replace("hook", "other"), { headers: freshHeaders() }, body)
      assert.deepStrictEqual(JSON.parse(other.text), event)
    })
  }

  it("for Fastify receive", async () => {
    const { given, received } = open()
    const app = Fastify()
    onTestFinished(() => app.close())
    for (const sample of samplesOf("Fastify")) await runSample(sample, { ...given, app })
    await assertTakes(`${await app.listen({ port: 0, host: "127.0.0.1" })}/hooks`, received)
  })

  it("for Fetch receive", async () => {
    const { given, received } = open()
    const [sample = ""] = samplesOf("Fetch: Bun, Deno, workers, Hono, Next.js")
    const receive = await runSample<(request: Request) => Promise<Response>>(sample, given, "receive")
    const request = new Request("http://localhost/hooks", { method: "POST", headers: freshHeaders(), body })
    assert.strictEqual((await receive(request)).status, 204)
    assert.deepStrictEqual(received[0]?.event, event)
  })

  it("for anything else verify", async () => {
    const kept = new Map<string, unknown>()
    const refused: Array<unknown> = []
    const [sample = ""] = samplesOf("Anything else")
    const given = {
      secret,
      rawBody: body,
      signatureHeader: freshHeaders()["service-signature"],
      queue: { put: (id: string, value: unknown) => kept.set(id, value) },
      log: (...said: ReadonlyArray<unknown>) => refused.push(said)
    }
    assert.deepStrictEqual(await runSample(sample, given, "event"), event)
    assert.deepStrictEqual([[...kept], refused], [[[event.id, event]], []])
  })
})
