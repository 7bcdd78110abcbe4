import { assert, describe, it } from "@effect/vitest"
import { Limits as CoreLimits } from "@limbeck/core/Limits"
import * as Page from "@limbeck/core/pages/Page"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { DeliveryDispatcher } from "@limbeck/webhooks/delivery/DeliveryDispatcher"
import * as Endpoint from "@limbeck/webhooks/endpoint/Endpoint"
import * as EndpointResource from "@limbeck/webhooks/endpoint/EndpointResource"
import { Endpoints, type NewEndpoint } from "@limbeck/webhooks/endpoint/Endpoints"
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { answer, Receiver } from "../support/Receiver.ts"
import { createEndpoint, live, publish, stranger, test, world } from "../support/World.ts"

const fine: NewEndpoint = { url: "https://receiver.example/", enabledEvents: ["*"] }

/** The field that a creation is refused for; undefined for an accepted one. */
const refusedFor = (request: Partial<NewEndpoint>, partition = live) =>
  Effect.gen(function* () {
    const created = yield* (yield* Endpoints).create(partition, { ...fine, ...request }).pipe(Effect.result)
    if (created._tag === "Success") return undefined
    return created.failure._tag === "InvalidInput" ? created.failure.param : created.failure._tag
  })

describe("Endpoints, what one may be", () => {
  it.effect("a live endpoint is https; a test one may also be http on this very machine", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refusedFor({ url: "https://receiver.example/" }))
      assert.isUndefined(yield* refusedFor({ url: "http://localhost:3000/" }, test))
      assert.isUndefined(yield* refusedFor({ url: "http://127.0.0.1:3000/" }, test))
      for (const url of ["http://localhost:3000/", "http://receiver.example/", "ftp://receiver.example/", "here", ""]) {
        assert.strictEqual(yield* refusedFor({ url }), "url", url)
      }
      for (const url of ["http://receiver.example/", "http://[::1]/", "http://10.0.0.1/"]) {
        assert.strictEqual(yield* refusedFor({ url }, test), "url", url)
      }
      assert.strictEqual(yield* refusedFor({ url: "https://user:pass@receiver.example/" }), "url")
    }).pipe(Effect.provide(world))
  )

  it.effect("url and description have a greatest length", () =>
    Effect.gen(function* () {
      const url = (length: number) => "https://receiver.example/".padEnd(length, "a")
      assert.isUndefined(yield* refusedFor({ url: url(CoreLimits.urlMax) }))
      assert.strictEqual(yield* refusedFor({ url: url(CoreLimits.urlMax + 1) }), "url")
      assert.isUndefined(yield* refusedFor({ description: "a".repeat(WebhookLimits.descriptionMax) }))
      assert.strictEqual(
        yield* refusedFor({ description: "a".repeat(WebhookLimits.descriptionMax + 1) }),
        "description"
      )
    }).pipe(Effect.provide(world))
  )

  it.effect(
    "enabled_events are known types, * or the prefix of one, and a refusal names the entry as it was sent",
    () =>
      Effect.gen(function* () {
        for (const good of ["*", "distill.*", "distill.run.*", "distill.run.succeeded", "message.completed"]) {
          assert.isUndefined(yield* refusedFor({ enabledEvents: [good] }), good)
        }
        const wrong = [
          "distill*",
          "*.run",
          "distill.run",
          "distill.runs.*",
          "nothing.*",
          ".*",
          "",
          "**",
          "webhook.ping"
        ]
        for (const entry of wrong) {
          assert.strictEqual(yield* refusedFor({ enabledEvents: [entry] }), "enabled_events[0]", entry)
        }
        assert.strictEqual(yield* refusedFor({ enabledEvents: ["*", "*", "message.*", "nope"] }), "enabled_events[3]")
        assert.strictEqual(yield* refusedFor({ enabledEvents: [] }), "enabled_events")
      }).pipe(Effect.provide(world))
  )

  it.effect("duplicates are folded, and only what is left counts", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: WebhookLimits.enabledEventsMax + 1 }, () => "distill.*")
      const { view } = yield* (yield* Endpoints).create(live, { ...fine, enabledEvents: ["*", ...many, "*"] })
      assert.deepStrictEqual(view.endpoint.enabledEvents, ["*", "distill.*"])
    }).pipe(Effect.provide(world))
  )

  it.effect("api_version is one that we render", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* refusedFor({ apiVersion: "2026-11-01" }))
      assert.strictEqual(yield* refusedFor({ apiVersion: "2020-01-01" }), "api_version")
    }).pipe(Effect.provide(world))
  )
})

describe("Endpoints", () => {
  it.effect("the answer to a creation shows the endpoint and its secret", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_000)
      const { secret, view } = yield* (yield* Endpoints).create(live, { ...fine, description: "mine" })
      assert.match(secret, /^whsec_[0-9A-Za-z]{43}$/)
      assert.deepStrictEqual(EndpointResource.renderWithSecret(live, view, secret), {
        id: view.endpoint.id,
        object: "webhook_endpoint",
        livemode: true,
        url: "https://receiver.example/",
        description: "mine",
        enabled_events: ["*"],
        api_version: "2026-11-01",
        status: "enabled",
        previous_secret_expires_at: null,
        delivery_stats: { success_rate_24h: null, pending: 0, dead_lettered: 0 },
        created_at: "1970-01-01T00:00:01.000Z",
        updated_at: "1970-01-01T00:00:01.000Z",
        secret
      })
    }).pipe(Effect.provide(world))
  )

  it.effect("the secret is sealed in storage and absent from every later answer", () =>
    Effect.gen(function* () {
      const { id, secret } = yield* createEndpoint()
      const stored = Option.getOrThrow(yield* (yield* ResourceStore).find(live, Endpoint.kind, id))
      assert.notInclude(JSON.stringify(stored), secret)
      assert.notProperty(EndpointResource.render(live, yield* (yield* Endpoints).get(live, id)), "secret")
    }).pipe(Effect.provide(world))
  )

  it.effect("an endpoint is seen, changed and removed only in its own workspace and mode", () =>
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      const { id } = yield* createEndpoint()
      for (const partition of [test, stranger]) {
        assert.strictEqual((yield* Effect.flip(endpoints.get(partition, id)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(endpoints.update(partition, id, {})))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(endpoints.remove(partition, id)))._tag, "NotFound")
        assert.deepStrictEqual((yield* endpoints.page(partition, Page.firstPage(20))).items, [])
      }
      assert.strictEqual((yield* endpoints.get(live, id)).endpoint.id, id)
    }).pipe(Effect.provide(world))
  )

  it.effect("a list is newest first and says whether more follow", () =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach([1, 2, 3], () => createEndpoint())
      const page = yield* (yield* Endpoints).page(live, Page.firstPage(2))
      assert.isTrue(page.hasMore)
      assert.deepStrictEqual(
        page.items.map(({ endpoint }) => endpoint.id),
        [made[2]?.id, made[1]?.id]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("a change leaves alone what it does not name, and keeps the rules", () =>
    Effect.gen(function* () {
      const endpoints = yield* Endpoints
      const before = (yield* createEndpoint()).id
      yield* TestClock.setTime(5_000)
      const { endpoint } = yield* endpoints.update(live, before, { description: "new", enabledEvents: ["message.*"] })
      assert.deepInclude(endpoint, { description: "new", url: "https://receiver.example/hook", updatedAt: 5_000 })
      assert.deepStrictEqual(endpoint.enabledEvents, ["message.*"])
      const refusal = yield* Effect.flip(endpoints.update(live, before, { enabledEvents: ["nope"] }))
      assert.deepInclude(refusal, { _tag: "InvalidInput", param: "enabled_events[0]" })
    }).pipe(Effect.provide(world))
  )

  it.effect("delivery_stats count what is not final, what is dead, and the attempts of the last day", () =>
    Effect.gen(function* () {
      const receiver = yield* Receiver
      const dispatcher = yield* DeliveryDispatcher
      receiver.answers(() => Effect.succeed(answer(receiver.sent.length === 1 ? 500 : 200)))
      const { id } = yield* createEndpoint()
      const shown = Effect.flatMap(Endpoints, (endpoints) =>
        Effect.map(endpoints.get(live, id), (view) => EndpointResource.render(live, view).delivery_stats)
      )
      yield* publish("message.completed", { times: 4 })
      assert.deepStrictEqual(yield* shown, { success_rate_24h: null, pending: 4, dead_lettered: 0 })
      yield* dispatcher.runOnce
      assert.deepStrictEqual(yield* shown, { success_rate_24h: 0.75, pending: 1, dead_lettered: 0 })
      yield* TestClock.setTime(WebhookLimits.statsWindowMillis + 1)
      assert.deepStrictEqual(yield* shown, { success_rate_24h: null, pending: 1, dead_lettered: 0 })
    }).pipe(Effect.provide(world))
  )
})
