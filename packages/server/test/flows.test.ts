/** Flow bodies through the node:http mount: how each portion passes. */
import { once } from "node:events"
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { setImmediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type * as Flow from "@limbeck/core/bytes/Flow"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { onTestFinished } from "vitest"
import * as FlowBody from "../src/http/internal/FlowBody.ts"
import * as Mounts from "../src/Mounts.ts"

type Portion = Flow.Portion<string>

const piece = new Uint8Array(1024 ** 2).fill(7)

const chunks = (...some: Flow.Chunks): Portion => ({ _tag: "Chunks", chunks: some, first: null })
/** Until what was written before has left. */
const turn = Effect.promise(() => setImmediate())
const ended: Portion = { _tag: "Ended", first: null }

/** A flow with all portions available; `taken` counts requests. */
const flowOf = (portions: ReadonlyArray<Portion>) => {
  const counted = { taken: 0 }
  const flow: Flow.Flow<string> = { take: () => portions[counted.taken++], onAvailable: () => {} }
  return { flow, counted }
}

/** What a host does with a response before the mount has it. */
type Meddle = (response: ServerResponse) => void

/** The port of a server that answers everything with the flow. */
const serving = async (flow: Flow.Flow<string>, meddle: Meddle): Promise<number> => {
  const answer = Effect.succeed(FlowBody.response(flow, { headers: { "x-made": "here" } }))
  const scope = Scope.makeUnsafe()
  const handle = await Effect.runPromise(
    Scope.provide(Mounts.node({ answer, services: Context.empty(), responseHeaders: () => ({}) }), scope)
  )
  const server = createServer((request, response) => {
    meddle(response)
    handle(request, response)
  }).listen(0, "127.0.0.1")
  onTestFinished(async () => {
    server.close().closeAllConnections()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  await once(server, "listening")
  return (server.address() as AddressInfo).port // It listens on a port.
}

/** The answer's head, as its client has it that has read nothing of the body. */
const answered = async (flow: Flow.Flow<string>, meddle: Meddle = () => {}): Promise<IncomingMessage> => {
  const asked = request({ port: await serving(flow, meddle), host: "127.0.0.1" }).end()
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
    const response = await answered(flow)
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
    assert.strictEqual(await bytesOf(await answered(flow)), 3)
    assert.deepStrictEqual(order, ["second is due", "second goes on", "end is due"])
  })

  it("that breaks breaks its answer off", async () => {
    const { flow } = flowOf([chunks(Uint8Array.of(1)), { _tag: "Broken", error: "gone", first: turn }])
    const failure = await bytesOf(await answered(flow)).catch((error: unknown) => error)
    assert.instanceOf(failure, Error)
  })

  it("that breaks right behind a piece breaks off when head and piece have left (P454)", async () => {
    const { flow } = flowOf([chunks(Uint8Array.of(1)), { _tag: "Broken", error: "gone", first: null }])
    const response = await answered(flow)
    const [piece] = (await once(response, "data")) as [Uint8Array]
    assert.deepStrictEqual([...piece], [1])
    assert.instanceOf(await bytesOf(response).catch((error: unknown) => error), Error)
  })

  it("comes to a client of HTTP/1.0 as its bytes and the end of the connection (P454)", async () => {
    const { flow } = flowOf([chunks(Buffer.from("one ")), chunks(Buffer.from("tw"), Buffer.from("o")), ended])
    const socket = connect(await serving(flow, () => {}), "127.0.0.1")
    socket.write("GET / HTTP/1.0\r\n\r\n")
    const heard = await text(socket)
    assert.strictEqual(heard.slice(heard.indexOf("\r\n\r\n") + 4), "one two")
    assert.notInclude(heard.toLowerCase(), "transfer-encoding")
  })

  it("passes what a host has put before the response as it is (P454)", async () => {
    const { flow } = flowOf([chunks(Buffer.from("one ")), chunks(Buffer.from("two")), ended])
    const written: Array<string> = []
    const response = await answered(flow, (below) => {
      const write = below.write.bind(below)
      below.write = (chunk: Uint8Array) => {
        written.push(Buffer.from(chunk).toString())
        return write(Buffer.from(Buffer.from(chunk).toString().toUpperCase()))
      }
    })
    assert.strictEqual(await text(response), "ONE TWO")
    assert.strictEqual(written.join(""), "one two")
  })
})
