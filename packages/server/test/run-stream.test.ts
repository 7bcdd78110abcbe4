// @effect-diagnostics globalFetch:off
/** `GET …/stream`: the events of a run in progress, resumable at any position (contract 4, 14.23). */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import type { Run, RunLogs, RunMetrics } from "@limbeck/api/RunsApi"
import { eventually } from "@limbeck/testing/Eventually"
import { createRun, dryRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Mounts from "../src/Mounts.ts"
import { assertInvalid, assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { over, type ReceivedEvent, readBody, readFrom, readInPieces } from "./support/EventSource.ts"
import { onEachStorage } from "./support/House.ts"

type RunView = typeof Run.Type

const runs = "/v1/distill/runs"
const whole = {
  student_model: "builtin/text-classifier",
  stages: ["sft", "eval", "publish"].map((kind) => ({ kind, config: {} })),
  rewards: []
}

const begin = async (caller: Client) => {
  const version = await ticketsVersion(caller)
  return expectStatus(await createRun(caller, dryRun(version.id, { recipe: whole })), 201)
}

const of = (told: ReadonlyArray<ReceivedEvent>, event: string) =>
  told.filter((one) => one.event === event).map(({ data }) => data)

/** Luck that a seed replays (a Lehmer generator): 1 to `most`. */
const cuts = (seed: number, most: number) => {
  let state = seed
  return () => {
    state = (state * 48_271) % (2 ** 31 - 1)
    return 1 + (state % most)
  }
}

onEachStorage(
  "a run's stream",
  (house) => {
    it("tells every state, metric and log line, in one order, and ends with the run", async () => {
      const { live, liveToken } = await house.workspace()
      const { id } = await begin(live)
      const { ended, told } = await readFrom(over(house.origin, liveToken, id), null)
      assert.isTrue(ended)
      assert.deepStrictEqual(
        told.map(({ id }) => id),
        told.map((_, index) => String(index + 1))
      )
      const states = of(told, "state")
      assert.deepStrictEqual(
        [...new Set(states.map(({ status }) => status))],
        ["queued", "validating", "running", "evaluating", "succeeded"]
      )
      assert.strictEqual(told[0]?.data["status"], "queued")
      const run = expectStatus(await live.get<RunView>(`${runs}/${id}`), 200)
      assert.deepStrictEqual<unknown>(told.at(-1), { id: String(told.length), event: "state", data: run })

      const logs = expectStatus(await live.get<typeof RunLogs.Type>(`${runs}/${id}/logs`), 200)
      assert.deepStrictEqual<unknown>(
        of(told, "log").map(({ stage: _, ...line }) => line),
        logs.data
      )
      const metrics = expectStatus(await live.get<typeof RunMetrics.Type>(`${runs}/${id}/metrics`), 200)
      const points = of(told, "metric")
      assert.isAtLeast(points.length, 12)
      for (const { name, points: shown, stage, unit } of metrics.series) {
        assert.deepStrictEqual<unknown>(
          points.filter((point) => point["name"] === name && point["stage"] === stage),
          shown.map((point) => ({ stage, name, unit, ...point }))
        )
      }
    })

    it("resumes after any event for a reader whose connection ended, and nothing is lost or sent twice (P52)", async () => {
      const { live, liveToken } = await house.workspace()
      const { id } = await begin(live)
      const open = over(house.origin, liveToken, id)
      const followers = [1, 2, 3, 4, 5].map((seed) => readInPieces(open, cuts(seed, 3 * seed)))
      const { told } = await readFrom(open, null)
      for (const follower of followers) assert.deepStrictEqual(await follower, told)
      for (const [index, { id }] of told.entries()) {
        assert.deepStrictEqual(await readFrom(open, id), { told: told.slice(index + 1), ended: true })
      }
    })

    it("is the same through a Fetch host, is not kept by caches, and has no body for HEAD", async () => {
      const { live, liveToken } = await house.workspace()
      const { id } = await begin(live)
      const handle = Mounts.fetch(house.app)
      const url = `http://host.example${runs}/${id}/stream`
      const headers = { authorization: `Bearer ${liveToken}` }
      const { ended, told } = await readBody(await handle(new Request(url, { headers })))
      assert.isTrue(ended)
      const answer = await over(house.origin, liveToken, id)({})
      assert.include(answer.headers.get("cache-control"), "no-cache")
      assert.deepStrictEqual((await readBody(answer)).told, told)
      const head = await live.send("HEAD", `${runs}/${id}/stream`)
      assert.deepStrictEqual([head.status, head.text], [200, ""])
    })

    it("refuses an id that is none of its own kind, and a run that is not there", async () => {
      const { live } = await house.workspace()
      const { id } = await begin(live)
      for (const seen of ["x", "-1", "1.5", "9".repeat(16)]) {
        assertInvalid(await live.get(`${runs}/${id}/stream`, { "last-event-id": seen }), "Last-Event-ID")
      }
      assertRefused(await live.get(`${runs}/run_none/stream`), 404, "not_found_error")
    })
  },
  { pace: "5 millis" }
)

onEachStorage(
  "a stream of a run that takes its time",
  (house) => {
    it("tells a run that was canceled and retried to its new end", async () => {
      const { live, liveToken } = await house.workspace()
      const { before, id, open } = await eventually("a run is canceled before it is over", async () => {
        const { id } = await begin(live)
        const open = over(house.origin, liveToken, id)
        const first = readFrom(open, null)
        const { status } = await live.post(`${runs}/${id}/cancel`)
        const before = await first
        return status === 200 && { before, id, open }
      })
      assert.isTrue(before.ended)
      assert.strictEqual(before.told.at(-1)?.data["status"], "canceled")
      expectStatus(await live.post(`${runs}/${id}/retry`), 200)
      const after = await readFrom(open, before.told.at(-1)?.id ?? null)
      assert.strictEqual(after.told[0]?.data["status"], "queued")
      assert.strictEqual(after.told.at(-1)?.data["status"], "succeeded")
      assert.deepStrictEqual((await readFrom(open, null)).told, [...before.told, ...after.told])
    })
  },
  { pace: "20 millis" }
)

describe("a client that goes away", () => {
  /** An endless response, and the resources released when its reader leaves. */
  const endless = Effect.gen(function* () {
    const released = yield* Deferred.make<boolean>()
    const ticks = Stream.concat(Stream.succeed("a"), Stream.never).pipe(
      Stream.ensuring(Deferred.succeed(released, true)),
      Stream.encodeText
    )
    const app = {
      answer: Effect.succeed(HttpServerResponse.stream(ticks)),
      services: Context.empty(),
      responseHeaders: () => ({})
    }
    return { app, released: Deferred.await(released) }
  })

  it("ends what was streamed to it, in a Node server", async () => {
    const { app, released } = await Effect.runPromise(endless)
    const scope = Scope.makeUnsafe()
    const handler = await Effect.runPromise(Effect.provideService(Mounts.node(app), Scope.Scope, scope))
    const server = createServer(handler).listen(0, "127.0.0.1")
    await once(server, "listening")
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`) // It listens on a port.
    await response.body?.cancel()
    assert.isTrue(await Effect.runPromise(released))
    server.closeAllConnections()
    server.close()
  })

  it("ends what was streamed to it, in a Fetch host", async () => {
    const { app, released } = await Effect.runPromise(endless)
    const response = await Mounts.fetch(app)(new Request("http://host.example/"))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    assert.isTrue(await Effect.runPromise(released))
  })
})
