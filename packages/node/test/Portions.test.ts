import { connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Portions from "../src/egress/internal/Portions.ts"
import * as Receivers from "./Receivers.ts"

/** A limited connection on which `sent` has arrived, up to the socket's buffer. */
const holding = (sent: Buffer) =>
  Effect.gen(function* () {
    const { port } = yield* Receivers.raw((socket) => void socket.write(sent))
    const socket = Portions.limit(connect(port, "127.0.0.1"))
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    socket.on("error", () => {}).write("ask")
    yield* readable(socket)
    return socket
  })

const readable = (socket: Socket) => Effect.promise(() => new Promise((resolve) => socket.once("readable", resolve)))

/** Reads until nothing is left, or the socket is destroyed; answers how much it was. */
const readAll = Effect.fnUntraced(function* (socket: Socket, total: number) {
  let bytes = 0
  while (bytes < total && !socket.destroyed) {
    const portion: unknown = socket.read()
    if (Buffer.isBuffer(portion)) bytes += portion.length
    else if (!socket.destroyed) yield* readable(socket)
  }
  return bytes
})

it.live("a read gives a small portion, however much has come, and the next one what follows", () =>
  Effect.gen(function* () {
    const sent = Buffer.from(Array.from({ length: 5_000 }, (_, n) => n % 256))
    const socket = yield* holding(sent)
    const portions: Array<Buffer> = []
    for (let portion = socket.read(); Buffer.isBuffer(portion); portion = socket.read()) portions.push(portion)
    assert.isAtLeast(portions.length, 3)
    for (const { length } of portions) assert.isAtMost(length, 2_048)
    assert.isTrue(Buffer.concat(portions).equals(sent))
  })
)

it.live("a destroyed socket gives nothing of what it holds", () =>
  Effect.gen(function* () {
    const socket = yield* holding(Buffer.alloc(5_000))
    assert.isNotNull(socket.read())
    socket.destroy()
    assert.isNull(socket.read())
  })
)

it.live("an answer of more than 1 MiB on the wire ends its connection", () =>
  Effect.gen(function* () {
    const socket = yield* holding(Buffer.alloc(2_000_000))
    assert.isAtMost(yield* readAll(socket, 2_000_000), 1_048_576)
    assert.isTrue(socket.destroyed)
  })
)

it.live("what comes after another request is another answer", () =>
  Effect.gen(function* () {
    const socket = yield* holding(Buffer.alloc(2_000_000))
    const half = yield* readAll(socket, 1_000_000)
    yield* Effect.promise(() => new Promise((resolve) => socket.write("ask again", resolve)))
    assert.strictEqual(half + (yield* readAll(socket, 2_000_000 - half)), 2_000_000)
    assert.isFalse(socket.destroyed)
  })
)
