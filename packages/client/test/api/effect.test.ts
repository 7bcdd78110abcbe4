/** The client of Effects and Streams, with a scripted Fetch. */
import { assert, describe, it } from "@effect/vitest"
import { ConnectionError, makeClient, NotFoundError } from "@limbeck/client/effect"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"

const clientOf = (answer: (request: Request) => Response | Promise<Response>) =>
  makeClient({
    baseUrl: "https://limbeck.example",
    token: "svc_test_1",
    retriesMax: 0,
    fetch: async (request) => answer(request)
  })

const pages: Readonly<Record<string, object>> = {
  "": { data: [{ id: "run_1" }, { id: "run_2" }], has_more: true, next_cursor: "c" },
  c: { data: [{ id: "run_3" }], has_more: false, next_cursor: null }
}

const error = { error: { type: "not_found", code: "not_found", message: "There is no such run" } }

describe("the client for Effect", () => {
  it.live("asks when it is run, each time anew, with what the other client takes (P388)", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const client = clientOf((request) => {
        asked.push(`${request.method} ${new URL(request.url).pathname}`)
        return Response.json({ id: "run_1" })
      })
      const run = client.runs.get("run_1")
      assert.isEmpty(asked)
      assert.deepInclude(yield* run, { id: "run_1" })
      yield* run
      assert.deepStrictEqual(asked, ["GET /v1/distill/runs/run_1", "GET /v1/distill/runs/run_1"])
    })
  )

  it.live("has lists as streams, page by page as they are needed (P388)", () =>
    Effect.gen(function* () {
      let asked = 0
      const client = clientOf((request) => {
        asked++
        return Response.json(pages[new URL(request.url).searchParams.get("cursor") ?? ""])
      })
      const runs = client.runs.list({ limit: 2 })
      const ids = Stream.map(runs.items, ({ id }) => id)
      assert.deepStrictEqual<unknown>(yield* Stream.runCollect(Stream.take(ids, 2)), ["run_1", "run_2"])
      assert.strictEqual(asked, 1)
      assert.deepStrictEqual<unknown>(yield* Stream.runCollect(ids), ["run_1", "run_2", "run_3"])
      assert.isTrue((yield* runs.page).has_more)
      assert.strictEqual((yield* Stream.runCollect(runs.pages)).length, 2)
    })
  )

  it.live("fails with the classes of errors, and dies of what is no answer (P388)", () =>
    Effect.gen(function* () {
      const refusing = clientOf(() => Response.json(error, { status: 404 }))
      assert.instanceOf(yield* Effect.flip(refusing.runs.get("run_1")), NotFoundError)
      assert.instanceOf(yield* Effect.flip(Stream.runDrain(refusing.runs.list().items)), NotFoundError)
      const broken = clientOf(() => Promise.reject(new TypeError("fetch failed")))
      assert.instanceOf(yield* Effect.flip(broken.runs.get("run_1")), ConnectionError)
      assert.isTrue(Exit.hasDies(yield* Effect.exit(broken.runs.get(""))))
    })
  )

  it.live("has events as a stream, of runs and of chats (P388)", () =>
    Effect.gen(function* () {
      const events = 'id: 1\nevent: log\ndata: {"seq":1}\n\nid: 2\nevent: log\ndata: {"seq":2}\n\n'
      const client = clientOf(() => new Response(events))
      for (const stream of [client.runs.stream("run_1"), client.chat.stream({ text: "Ping?" })]) {
        assert.deepStrictEqual(
          (yield* Stream.runCollect(stream)).map(({ data }) => data),
          [{ seq: 1 }, { seq: 2 }]
        )
      }
    })
  )

  it.live("ends its request when it is interrupted (P388)", () =>
    Effect.gen(function* () {
      let asked = Deferred.makeUnsafe<AbortSignal>()
      const client = clientOf((request) => {
        Deferred.doneUnsafe(asked, Effect.succeed(request.signal))
        return new Promise<Response>(() => {})
      })
      for (const waiting of [client.runs.wait("run_1"), Stream.runDrain(client.runs.list().items)]) {
        asked = Deferred.makeUnsafe()
        const fiber = yield* Effect.forkChild(waiting)
        const signal = yield* Deferred.await(asked)
        assert.isFalse(signal.aborted)
        yield* Fiber.interrupt(fiber)
        assert.isTrue(signal.aborted)
      }
    })
  )
})
