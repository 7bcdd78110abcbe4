/** What receivers answer, and how deliveries and pings tell it (service-api 2.8, 6.4; contract 8, 14.7). */
import { once } from "node:events"
import type { RequestListener } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { WebhookPing } from "@limbeck/api/WebhooksApi"
import { type Client, expectStatus, firstOf } from "./support/Client.ts"
import * as Elapsed from "./support/Elapsed.ts"
import { onOneStorage } from "./support/House.ts"
import { Receiver } from "./support/Receiver.ts"
import { change, detailOf, endpoints, happen, subscribe, untilSome } from "./support/Webhooks.ts"

const kibibyte = 1_024

const answers: ReadonlyArray<readonly [what: string, listener: RequestListener, expected: object]> = [
  ["200", (_, response) => response.end("ok"), { status_code: 200, body_snippet: "ok", error: null }],
  ["204", (_, response) => response.writeHead(204).end(), { status_code: 204, body_snippet: "", error: null }],
  ["299", (_, response) => response.writeHead(299).end("odd"), { status_code: 299, body_snippet: "odd", error: null }],
  [
    "a redirect",
    (_, response) => response.writeHead(302, { location: "/fine" }).end("there"),
    { status_code: 302, body_snippet: "there", error: null }
  ],
  ["304", (_, response) => response.writeHead(304).end(), { status_code: 304, body_snippet: "", error: null }],
  [
    "410",
    (_, response) => response.writeHead(410).end("gone"),
    { status_code: 410, body_snippet: "gone", error: null }
  ],
  [
    "more than 64 KiB",
    (_, response) => response.end("a".repeat(65 * kibibyte)),
    { status_code: 200, body_snippet: "a".repeat(kibibyte), error: null }
  ],
  [
    "a long text of several bytes each",
    (_, response) => response.end("é€".repeat(1_000)),
    // 204 pairs of 5 bytes are 1,020; é takes 2 more, and half an € is left out.
    { status_code: 200, body_snippet: `${"é€".repeat(204)}é`, error: null }
  ],
  [
    "compressed",
    (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("unpacked")),
    { status_code: 200, body_snippet: "unpacked", error: null }
  ],
  [
    "bytes that are no text",
    (_, response) => response.end(Buffer.from([0x61, 0xff, 0x00])),
    { status_code: 200, body_snippet: "a\ufffd\ufffd", error: null }
  ],
  [
    "a connection that breaks",
    ({ socket }) => socket.destroy(),
    { status_code: null, body_snippet: "", error: "connection_reset" }
  ],
  [
    "an answer that is no HTTP",
    ({ socket }) => socket.end("HELLO\r\n\r\n"),
    { status_code: null, body_snippet: "", error: "invalid_response" }
  ]
]

const isSuccess = (expected: object) =>
  "status_code" in expected && Number(expected.status_code) >= 200 && Number(expected.status_code) < 300

onOneStorage("answers of receivers", (house) => {
  const receiver = new Receiver()
  const silent = createServer(() => {})
  beforeAll(async () => {
    await receiver.open()
    await once(silent.listen(0, "127.0.0.1"), "listening")
  })
  afterAll(() => {
    receiver.close()
    silent.close()
  })

  const ping = async (caller: Client, url: string) => {
    const { id } = await subscribe(caller, url, ["message.completed"])
    return expectStatus(await caller.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`), 200)
  }

  for (const [what, listener, expected] of answers) {
    it(`${what}: the delivery, its attempt and a ping tell the same`, async () => {
      const { test } = await house.workspace()
      const url = receiver.answering(listener)
      const { id } = await subscribe(test, url)
      const assertElapsed = Elapsed.begin()
      await happen(test)
      const delivery = firstOf(await untilSome(test, id, isSuccess(expected) ? "succeeded" : "failed"))
      await change(test, id, { status: "disabled" })
      assert.deepInclude(delivery.last_response, expected)
      assertElapsed(delivery.last_response.duration_ms)
      const { attempts } = await detailOf(test, delivery)
      assert.strictEqual(attempts.length, 1)
      assert.deepInclude(firstOf({ data: attempts }), { ...delivery.last_response, attempt: 1, trigger: "automatic" })
      assert.deepInclude(await ping(test, url), { ...expected, delivered: isSuccess(expected) })
      assert.strictEqual(receiver.allAt(url).length, 2)
    })
  }

  it("a ping tells what kept it from an answer (P22)", async () => {
    const { live, test } = await house.workspace()
    const plain = receiver.url("/fine").replace("http:", "https:")
    for (const [caller, url, error] of [
      [test, "http://127.0.0.1:1/", "connection_refused"],
      [test, "https://localhost:1/", "connection_refused"],
      [test, plain, "tls_failure"],
      [test, "https://nothing.invalid/", "dns_failure"],
      [test, "https://10.0.0.1/", "blocked_address"],
      [test, "https://169.254.169.254/latest/meta-data", "blocked_address"],
      [test, "https://[::ffff:10.0.0.1]/", "blocked_address"],
      [live, plain, "blocked_address"],
      [live, "https://localhost/", "blocked_address"],
      [live, "https://2130706433/", "blocked_address"]
    ] as const) {
      const answer = { ...(await ping(caller, url)), duration_ms: 0 }
      const unanswered = { object: "webhook_ping", delivered: false, status_code: null, body_snippet: "" } as const
      assert.deepStrictEqual(answer, { ...unanswered, duration_ms: 0, error }, url)
    }
  })

  it("localhost is this machine", async () => {
    const { test } = await house.workspace()
    const answer = await ping(test, receiver.url("/fine").replace("127.0.0.1", "localhost"))
    assert.deepInclude(answer, { delivered: true, status_code: 200, error: null })
  })

  it("a ping waits 5 s, and no longer", async () => {
    const { test } = await house.workspace()
    const { port } = silent.address() as AddressInfo // It listens on a port.
    const { id } = await subscribe(test, `http://127.0.0.1:${port}/`, ["message.completed"])
    const connected = once(silent, "connection")
    const pinging = test.post<typeof WebhookPing.Type>(`${endpoints}/${id}/ping`)
    const [socket] = await connected
    await once(socket, "data")
    house.passTime(5_000)
    assert.deepInclude(expectStatus(await pinging, 200), { delivered: false, status_code: null, error: "timeout" })
  })

  it("a blocked address is an attempt that failed, and is tried again", async () => {
    const { live } = await house.workspace()
    const { id } = await subscribe(live, "https://192.168.0.1/")
    await happen(live)
    const failed = firstOf(await untilSome(live, id, "failed"))
    assert.deepInclude(failed.last_response, { status_code: null, body_snippet: "", error: "blocked_address" })
    assert.strictEqual(failed.attempt_count, 1)
    assert.isString(failed.next_retry_at)
  })
})
