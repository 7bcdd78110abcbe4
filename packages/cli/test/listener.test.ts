/** How a stop drains, by a clock that stands still unless the test moves it. */
import { once } from "node:events"
import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { setImmediate as turn } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { HandClock } from "@limbeck/testing/fixtures/HandClock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Listener from "../src/serve/Listener.ts"

const idleGraceMillis = 1_000
const drainMillis = 10_000

/** A listener whose requests wait in `held` for the test's answer. */
const open = async (atEnd: AtEnd) => {
  const clock = new HandClock()
  const listener = await Effect.runPromise(
    Listener.listen({ host: "127.0.0.1", port: 0, connectionsMax: 100, keepAliveSeconds: 75 }, Effect.never)
  )
  const held: Array<ServerResponse> = []
  let cuts = 0
  const cutting = Effect.sync(() => {
    cuts += 1
  })
  await Effect.runPromise(
    listener.serve({
      answer: (_request, response) => held.push(response),
      full: (_request, response) => response.destroy(),
      refuse: (_error, socket) => socket.destroy(),
      cutting
    })
  )
  // A client that would keep its connection.
  const agent = new Agent({ keepAlive: true })
  atEnd(() => agent.destroy())
  const ask = () => {
    const asked = request({ agent, port: listener.port, host: "127.0.0.1" })
    asked.end()
    return asked
  }
  const stop = () => Effect.runFork(clock.timing(listener.stop))
  return { clock, port: listener.port, held, cuts: () => cuts, ask, stop }
}

const until = async (condition: () => boolean) => {
  while (!condition()) await turn()
}

/** Waits a few turns even without a pending promise. */
const turns = async () => {
  for (let count = 0; count < 20; count++) await turn()
}

const answerTo = (asked: ClientRequest): Promise<ReadonlyArray<unknown>> => once(asked, "response")

/** Reads it to its end; answers what it says of its connection. */
const read = async (asked: ClientRequest): Promise<string | undefined> => {
  const [response] = (await answerTo(asked)) as [IncomingMessage] // What `node:http` gives.
  await once(response.resume(), "end")
  return response.headers.connection
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket.destroy() === undefined))
    socket.once("error", () => resolve(true))
  })

describe("a stop", () => {
  it("takes no new connection, and ends with the last answer, however long a client would keep its connection (P43)", async ({
    onTestFinished
  }) => {
    const { ask, cuts, held, port, stop } = await open(onTestFinished)
    const asked = ask()
    await until(() => held.length === 1)
    const stopping = stop()
    while (!(await isRefused(port))) await turn()
    assert.isUndefined(stopping.pollUnsafe())
    held[0]?.end("done")
    assert.strictEqual(await read(asked), "close")
    // The clock was never moved: no limit had a part in it.
    await Effect.runPromise(Fiber.join(stopping))
    assert.strictEqual(cuts(), 0)
  })

  it("leaves a connection that is idle a second in which a request of it is answered", async ({ onTestFinished }) => {
    const { ask, clock, cuts, held, stop } = await open(onTestFinished)
    const asked = ask()
    await until(() => held.length === 1)
    held[0]?.end("done")
    await read(asked)
    const stopping = stop()
    await turns()
    clock.pass(idleGraceMillis - 1)
    await turns()
    assert.isUndefined(stopping.pollUnsafe())
    clock.pass(1)
    await Effect.runPromise(Fiber.join(stopping))
    assert.strictEqual(cuts(), 0)
  })

  it("keeps idle connections open while a request is under way, and announces their end on the next response (P921)", async ({
    onTestFinished
  }) => {
    const { ask, clock, cuts, held, stop } = await open(onTestFinished)
    const idle = ask()
    await until(() => held.length === 1)
    const other = ask()
    await until(() => held.length === 2)
    held[0]?.end("done")
    assert.strictEqual(await read(idle), "keep-alive")
    const stopping = stop()
    await turns()
    clock.pass(drainMillis - 1)
    await turns()
    const again = ask()
    let isRefused = false
    again.once("error", () => {
      isRefused = true
    })
    await until(() => held.length === 3 || isRefused)
    assert.isFalse(isRefused)
    assert.strictEqual(again.socket, idle.socket)
    held[2]?.end("done")
    assert.strictEqual(await read(again), "close")
    assert.isUndefined(stopping.pollUnsafe())
    held[1]?.end("done")
    assert.strictEqual(await read(other), "close")
    await Effect.runPromise(Fiber.join(stopping))
    assert.strictEqual(cuts(), 0)
  })

  it("leaves requests that are under way ten seconds, and cuts them then", async ({ onTestFinished }) => {
    const { ask, clock, cuts, held, stop } = await open(onTestFinished)
    const lost = once(ask(), "error")
    await until(() => held.length === 1)
    const stopping = stop()
    await turns()
    clock.pass(drainMillis - 1)
    await turns()
    assert.isUndefined(stopping.pollUnsafe())
    clock.pass(1)
    await Effect.runPromise(Fiber.join(stopping))
    await lost
    assert.strictEqual(cuts(), 1)
  })
})
