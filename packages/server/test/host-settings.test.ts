/** What a host sets once and every part of the server keeps to: its brand, and the retry schedule (contract 1, 8). */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { Reward } from "@limbeck/api/RewardsApi"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as Redacted from "effect/Redacted"
import type { GivenSettings } from "../src/Settings.ts"
import { assertInvalid, expectStatus, firstOf } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"
import { type ReceivedRequest, Receiver } from "./support/Receiver.ts"
import { detailOf, endpoints, happen, isSignedBy, subscribe, untilAttempts, untilSome } from "./support/Webhooks.ts"

/** The header names with this word. */
const named = (headers: Iterable<readonly [string, unknown]>, word: string) =>
  [...headers].map(([name]) => name).filter((name) => name.includes(word))

const receiver = new Receiver()
beforeAll(() => receiver.open())
afterAll(() => receiver.close())

onEachStorage(
  "a host with a name of its own",
  (house) => {
    it("has it in the version that a request may pin, and that every answer says", async () => {
      const { live } = await house.workspace()
      const pinned = await live.get("/v1/whoami", { "acme-version": "2026-11-01" })
      assert.strictEqual(pinned.status, 200)
      assert.isEmpty(named(pinned.headers, "service"))
      assertInvalid(await live.get("/v1/whoami", { "acme-version": "2020-01-01" }), "Acme-Version")
      assertInvalid(await live.get("/v1/event_types", { "acme-version": "2020-01-01" }), "Acme-Version")
      expectStatus(await live.get("/v1/whoami", { "service-version": "2020-01-01" }), 200)
      const browser = await live.get("/v1/whoami", { origin: "https://app.example" })
      assert.include(browser.headers.get("access-control-expose-headers"), "Acme-Version")
    })

    it("has it in the OpenAPI document", async () => {
      const { text } = await house.client(null).get("/v1/openapi.json")
      assert.include(text, '"name":"Acme-Version"')
      assert.include(text, '"x-acme-scopes"')
      assert.notMatch(text, /x-service-|service-version/i)
    })

    const assertOurs = (heard: ReceivedRequest | undefined, agent: string, names: ReadonlyArray<string>) => {
      const headers = Object.entries(heard?.headers ?? {})
      assert.isEmpty(named(headers, "service"))
      assert.sameMembers(named(headers, "acme-"), [...names])
      assert.strictEqual(heard?.headers["user-agent"], agent)
    }
    const webhookNames = ["acme-signature", "acme-event-type", "acme-event-id", "acme-delivery-id"]

    it("has it on webhooks and pings (P55)", async () => {
      const { test } = await house.workspace()
      const url = receiver.answering((_, response) => response.end())
      const { id, secret } = await subscribe(test, url)
      expectStatus(await test.post(`${endpoints}/${id}/ping`), 200)
      await happen(test)
      await untilSome(test, id, "succeeded")
      const heard = receiver.allAt(url)
      assert.strictEqual(heard.length, 2)
      for (const one of heard) {
        assertOurs(one, "Acme-Webhooks/1.0", webhookNames)
        assert.isTrue(isSignedBy(String(one.headers["acme-signature"]), one.body, secret))
      }
    })

    it("has it on what is sent to scorers", async () => {
      const { test } = await house.workspace()
      const url = receiver.answering((_, response) => response.end('{"score": 1}'))
      const reward = { name: "mine", kind: "http", config: { url } }
      const { id } = expectStatus(await test.post<typeof Reward.Type>("/v1/distill/rewards", reward), 201)
      const row = { messages: [{ role: "user", content: "Hello" }], completion: "Hi" }
      expectStatus(await test.post(`/v1/distill/rewards/${id}/score`, { row, completion: "Hi" }), 200)
      assertOurs(receiver.allAt(url)[0], "Acme-Rewards/1.0", ["acme-signature"])
    })
  },
  { settings: { brand: "Acme", corsOrigins: ["https://app.example"] } }
)

onEachStorage(
  "a schedule of the host's own",
  (house) => {
    it("says when attempts are made, and how many (P55)", async () => {
      const { test } = await house.workspace()
      const { id } = await subscribe(test, receiver.url("/broken"))
      await happen(test)
      const delivery = firstOf(await untilSome(test, id, "failed"))
      const seen = [await detailOf(test, delivery)]
      for (let made = 1; made < 3; made++) {
        house.passTime(Math.max(0, Date.parse(seen.at(-1)?.next_retry_at ?? "") - house.now()))
        seen.push(await untilAttempts(test, delivery, made + 1))
      }
      const startedAt = Date.parse(seen[0]?.attempts[0]?.started_at ?? "")
      const dueAfter = seen.map(({ next_retry_at: at }) => (at === null ? null : Date.parse(at) - startedAt))
      assert.deepStrictEqual(dueAfter, [900_500, 3_600_000, null])
      assert.strictEqual(seen.at(-1)?.status, "dead_lettered")
    })
  },
  { settings: { webhookScheduleSeconds: [0, 900.5, 3_600] } }
)

describe("a setting that cannot be", () => {
  const start = (settings: GivenSettings) =>
    Limbeck.make({
      storage: StorageMemory.layer,
      encryptionKeys: [Redacted.make(new Uint8Array(32).fill(7))],
      settings
    }).then(
      (started) => started.close(),
      (error: unknown) => error
    )

  const many = (count: number) => Array.from({ length: count }, (_, index) => index)
  const refused: ReadonlyArray<GivenSettings> = [
    ...["", "-Acme", "Acme-", "Ac me", "Acme:", "Ünder", "A--B", "A".repeat(33)].map((brand) => ({ brand })),
    ...[[], [5], [0, 5, 5], [0, 30, 5], [-1, 0], [0, Number.NaN], [0, Number.POSITIVE_INFINITY], many(21)].map(
      (webhookScheduleSeconds) => ({ webhookScheduleSeconds })
    ),
    ...[
      { perSecond: 0, burst: 10 },
      { perSecond: -1, burst: 10 },
      { perSecond: 1, burst: 0.5 },
      { perSecond: Number.NaN, burst: 1 },
      { perSecond: 1, burst: Number.POSITIVE_INFINITY }
    ].map((rateLimit) => ({ rateLimit })),
    ...[0, -1, Number.NaN, Number.POSITIVE_INFINITY].flatMap((days) => [
      { webhookHistoryDays: days },
      { webhookDisableAfterDays: days },
      { uploadRetentionDays: days },
      { callHistoryDays: days },
      { eventHistoryDays: days }
    ]),
    ...[0, -1, 1.5, Number.NaN].flatMap((bytes) => [{ bodyBytesMax: bytes }, { proxyBodyBytesMax: bytes }]),
    ...["", "limbeck.example", "ftp://limbeck.example", "https://limbeck.example/", "https://a.example/b?c"].map(
      (publicUrl) => ({ publicUrl })
    ),
    ...["app.example", "https://app.example/", "*"].map((origin) => ({ corsOrigins: [origin] })),
    // What TypeScript would refuse.
    { ratelimit: null } as object
  ]

  it("ends the start, and is named (P111)", async () => {
    for (const settings of refused) {
      const [setting = ""] = Object.keys(settings)
      const error = Object(await start(settings))
      assert.deepInclude(error, { _tag: "InvalidSetting", setting }, JSON.stringify(settings))
      assert.isTrue(String(error.message).startsWith(setting))
    }
  })

  it("is none of these", async () => {
    // A host passes an unset variable this way.
    const unset = { publicUrl: undefined }
    const taken = [{ brand: "Acme-2" }, { webhookScheduleSeconds: [0] }, { webhookScheduleSeconds: many(20) }, unset]
    for (const settings of taken) assert.isUndefined(await start(settings))
  })
})
