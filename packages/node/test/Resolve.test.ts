import { createSocket } from "node:dgram"
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"
import * as Resolve from "../src/egress/internal/Resolve.ts"

const typeA = 1
const typeAaaa = 28

/** The addresses of a name server, as bytes; an unknown name gets no response. */
type Zone = Readonly<Record<string, ReadonlyArray<ReadonlyArray<number>>>>

const questionOf = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size))
    at += size + 1
  }
  return { name: labels.join(".").toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const answerOf = (query: Buffer, zone: Zone): Buffer | undefined => {
  const { end, name, type } = questionOf(query)
  const size = type === typeA ? 4 : type === typeAaaa ? 16 : 0
  const addresses = zone[name]?.filter(({ length }) => length === size)
  if (addresses === undefined) return undefined
  const header = Buffer.from([query[0] ?? 0, query[1] ?? 0, 0x81, 0x80, 0, 1, 0, addresses.length, 0, 0, 0, 0])
  const records = addresses.map((address) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 9, 0, size, ...address]))
  return Buffer.concat([header, query.subarray(12, end), ...records])
}

/** A name server on this machine. */
const nameServer = (zone: Zone) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket({ type: "udp4", recvBufferSize: 1_048_576 })
      let asked = 0
      socket.on("message", (query, { address, port }) => {
        asked += 1
        const answer = answerOf(query, zone)
        if (answer !== undefined) socket.send(answer, port, address)
      })
      await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
      return { socket, server: `127.0.0.1:${socket.address().port}`, asked: () => asked }
    }),
    ({ socket }) => Effect.promise(() => new Promise<void>((resolve) => void socket.close(resolve)))
  )

const ten = [10, 0, 0, 1]
const eight = [8, 8, 8, 8]
const six = [0x26, 0x06, ...new Array<number>(13).fill(0), 1]

describe("a host name", () => {
  it.live("means all its addresses of both families", () =>
    Effect.gen(function* () {
      const { server } = yield* nameServer({
        "both.example": [ten, eight, six],
        "four.example": [eight],
        "six.example": [six]
      })
      const resolve = Resolve.make([server])
      const addressesOf = (host: string) => Effect.promise(() => resolve(host))
      assert.sameMembers([...(yield* addressesOf("both.example"))], ["10.0.0.1", "8.8.8.8", "2606::1"])
      assert.deepStrictEqual(yield* addressesOf("four.example"), ["8.8.8.8"])
      assert.deepStrictEqual(yield* addressesOf("six.example"), ["2606::1"])
    })
  )

  it.live("without addresses means none", () =>
    Effect.gen(function* () {
      const { server } = yield* nameServer({ "empty.example": [] })
      assert.deepStrictEqual(yield* Effect.promise(() => Resolve.make([server])("empty.example")), [])
    })
  )

  it.live("of this machine is known without asking anybody", () =>
    Effect.gen(function* () {
      const { asked, server } = yield* nameServer({ localhost: [ten], "a.localhost": [ten] })
      const resolve = Resolve.make([server])
      for (const host of ["localhost", "LocalHost.", "a.localhost", "a.b.localhost"]) {
        assert.deepStrictEqual(yield* Effect.promise(() => resolve(host)), ["127.0.0.1", "::1"])
      }
      assert.strictEqual(asked(), 0)
    })
  )

  it.live("is looked up while hundreds of others get no answer", () =>
    Effect.gen(function* () {
      const { server } = yield* nameServer({ "known.example": [eight] })
      const resolve = Resolve.make([server])
      let answered = 0
      const flood = Array.from({ length: 200 }, (_, n) => resolve(`silent-${n}.example`).then(() => (answered += 1)))
      assert.deepStrictEqual(yield* Effect.promise(() => resolve("known.example")), ["8.8.8.8"])
      assert.strictEqual(answered, 0)
      // Within the time of an attempt, not counting a busy machine's pauses.
      yield* Effect.promise(() => eventually("they give up", () => answered === flood.length, 5_000))
    })
  )
})
