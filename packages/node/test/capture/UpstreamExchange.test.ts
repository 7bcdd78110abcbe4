import { assert, describe, it } from "@effect/vitest"
import type { UpstreamFailure } from "@limbeck/capture/upstream/Upstream"
import type * as Flow from "@limbeck/core/bytes/Flow"
import type { Dispatcher } from "undici"
import { UpstreamExchange } from "../../src/capture/internal/UpstreamExchange.ts"

/** Records the exchange's requests to the connection. */
class Connection implements Dispatcher.DispatchController {
  readonly asked: Array<"abort" | "pause" | "resume"> = []
  aborted = false
  paused = false
  reason = null
  abort() {
    this.asked.push("abort")
  }
  pause() {
    this.asked.push("pause")
  }
  resume() {
    this.asked.push("resume")
  }
}

const begun = () => {
  const connection = new Connection()
  const exchange = new UpstreamExchange()
  exchange.onRequestStart(connection)
  exchange.onResponseStart(connection, 200, {})
  return { connection, exchange }
}

type Portion = Flow.Portion<UpstreamFailure>

/** What is there, or comes next. */
const taking = (exchange: UpstreamExchange, taken: (portion: Portion) => void): void => {
  const portion = exchange.take()
  if (portion === undefined) exchange.onAvailable(() => taking(exchange, taken))
  else taken(portion)
}

describe("an exchange", () => {
  it.each([600, 799, 999])("whose status is %i has no head: it was broken off", (status) => {
    const connection = new Connection()
    const exchange = new UpstreamExchange()
    exchange.onRequestStart(connection)
    exchange.onResponseStart(connection, status, {})
    assert.deepStrictEqual(
      [exchange.head, exchange.failure, connection.asked],
      [undefined, "invalid_response", ["abort"]]
    )
  })

  it("holds the connection up while nobody takes what came, and lets it go on after", () => {
    const { connection, exchange } = begun()
    for (let piece = 0; piece < 5; piece++) exchange.onResponseData(connection, Buffer.alloc(16_384))
    assert.deepStrictEqual(connection.asked, ["pause"])
    const taken: Array<Portion> = []
    taking(exchange, (portion) => taken.push(portion))
    assert.deepStrictEqual(connection.asked, ["pause", "resume"])
    const [first] = taken
    assert.strictEqual(first?._tag === "Chunks" ? first.chunks.length : 0, 5)
  })

  it("hands out together what was read together, before the next is read (P403)", async () => {
    const { connection, exchange } = begun()
    const taken: Array<Portion> = []
    const take = () => taking(exchange, (portion) => taken.push(portion))
    const texts = () => taken.map((portion) => (portion._tag === "Chunks" ? portion.chunks.map(String) : portion._tag))
    take()
    for (const text of ["a", "b", "c"]) exchange.onResponseData(connection, Buffer.from(text))
    await Promise.resolve()
    assert.deepStrictEqual(texts(), [["a", "b", "c"]])
    take()
    exchange.onResponseData(connection, Buffer.from("d"))
    exchange.onResponseEnd()
    await Promise.resolve()
    take()
    assert.deepStrictEqual(texts(), [["a", "b", "c"], ["d"], "Ended"])
  })

  it("tells the end once all was taken, and breaks nothing off after it", () => {
    const { connection, exchange } = begun()
    const tags: Array<string> = []
    const take = () => taking(exchange, ({ _tag }) => void tags.push(_tag))
    exchange.onResponseData(connection, Buffer.from("a"))
    exchange.onResponseEnd()
    take()
    take()
    exchange.abort()
    take()
    assert.deepStrictEqual(tags, ["Chunks", "Ended", "Ended"])
    assert.isEmpty(connection.asked)
  })

  it("that is given up before it has a connection sends nothing", () => {
    const connection = new Connection()
    const exchange = new UpstreamExchange()
    exchange.abort()
    exchange.onRequestStart(connection)
    assert.deepStrictEqual(connection.asked, ["abort"])
  })
})
