/** Answers whose bodies are flows, through the mount of node:http: how each portion is passed on. */
import { once } from "node:events"
import { createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import * as Flow from "@limbeck/core/bytes/Flow"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Stream from "effect/Stream"
import { onTestFinished } from "vitest"
import * as Mounts from "../src/Mounts.ts"

type Portion = Flow.Portion<string>

const piece = new Uint8Array(1024 ** 2).fill(7)

const chunks = (...some: Flow.Chunks): Portion => ({ _tag: "Chunks", chunks: some, first: null })
/** Until what was written before has left. */
const turn = Effect.promise(() => setImmediate())
const ended: Portion = { _tag: "Ended", first: null }

/** A flow that has all of these at once; `taken`: how many of them were asked for. */
const flowOf = (portions: ReadonlyArray<Portion>) => {
  const counted = { taken: 0 }
  const flow: Flow.Flow<string> = { take: () => portions[counted.taken++], whenThere: () => {} }
  return { flow, counted }
}

/** The answer's head, as its client has it that has read nothing of the body. */
const answered = async (body: Stream.Stream<Uint8Array, string>): Promise<IncomingMessage> => {
  const answer = Effect.succeed(HttpServerResponse.stream(body, { headers: { "x-made": "here" } }))
  const app = { answer, services: Context.empty() }
  const mounting = Effect.flatMap(Mounts.node(app), (handle) =>
    Effect.callback<never>((_resume) => {
      const server = createServer(handle).listen(0, "127.0.0.1", () => listening(server.address() as AddressInfo))
      return Effect.sync(() => server.close().closeAllConnections())
    })
  )
  let listening = (_: AddressInfo) => {}
  const address = new Promise<AddressInfo>((resolve) => {
    listening = resolve
  })
  const stopped = new AbortController()
  const running = Effect.runPromiseExit(Effect.scoped(mounting), { signal: stopped.signal })
  onTestFinished(async () => {
    stopped.abort()
    await running
  })
  const { port } = await address
  const asked = request({ port, host: "127.0.0.1" }).end()
  const [response] = (await once(asked, "response")) as [IncomingMessage]
  assert.strictEqual(response.headers["x-made"], "here")
  return response
}

const bytesOf = async (response: IncomingMessage) => {
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  return bytes
}

describe("a flow", () => {
  it("is taken no faster than its client reads, and ends when all is passed on (P454)", async () => {
    const pieces = 64
    const { counted, flow } = flowOf([...Array.from({ length: pieces }, () => chunks(piece)), ended])
    const response = await answered(Flow.streamOf(flow))
    assert.isBelow(counted.taken, pieces / 2)
    assert.strictEqual(await bytesOf(response), pieces * piece.length)
    assert.strictEqual(counted.taken, pieces + 1)
  })

  it("passes a portion on, or ends, when what is to be done before is done (P454)", async () => {
    const order: Array<string> = []
    const before = (name: string) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => void order.push(`${name} is due`))
      )
    const second: Portion = {
      _tag: "Chunks",
      first: before("second"),
      get chunks(): Flow.Chunks {
        order.push("second goes on")
        return [Uint8Array.of(2), Uint8Array.of(3)]
      }
    }
    const { flow } = flowOf([chunks(Uint8Array.of(1)), second, { ...ended, first: before("end") }])
    assert.strictEqual(await bytesOf(await answered(Flow.streamOf(flow))), 3)
    assert.deepStrictEqual(order, ["second is due", "second goes on", "end is due"])
  })

  it("that breaks breaks its answer off", async () => {
    const { flow } = flowOf([chunks(Uint8Array.of(1)), { _tag: "Broken", error: "gone", first: turn }])
    const failure = await bytesOf(await answered(Flow.streamOf(flow))).catch((error: unknown) => error)
    assert.instanceOf(failure, Error)
  })

  it("is none where its stream was made into another, which says what it says (P454)", async () => {
    const { flow } = flowOf([chunks(Uint8Array.of(1), Uint8Array.of(2)), ended])
    const stream = Flow.streamOf(flow)
    assert.strictEqual(Flow.of(stream), flow)
    const doubled = Stream.flatMap(stream, (chunk) => Stream.make(chunk, chunk))
    assert.isUndefined(Flow.of(doubled))
    assert.strictEqual(await bytesOf(await answered(doubled)), 4)
  })
})
