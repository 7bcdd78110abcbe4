import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import {
  decide,
  type IdempotencyRecord,
  isKey,
  reservation,
  reservedStatus
} from "../../src/idempotency/Idempotency.ts"

const record: IdempotencyRecord = {
  key: "key",
  fingerprint: "POST /v1/things {}",
  status: 201,
  body: "{}",
  sealed: false,
  expiresAt: 1_000
}

const anew = { _tag: "Proceed", continuation: null } as const

describe("a request with a key", () => {
  it("that is new is executed", () => {
    assert.deepStrictEqual(decide(undefined, [record.fingerprint], 0), anew)
  })

  it("that is known gets its answer again, as long as that is kept", () => {
    for (const now of [0, 999])
      assert.deepStrictEqual(decide(record, [record.fingerprint], now), { _tag: "Replay", record })
  })

  it("that a server before stored in another form gets its answer again", () => {
    assert.deepStrictEqual(decide(record, ["of another form", record.fingerprint], 0), { _tag: "Replay", record })
  })

  it("that stood for another request is refused, as long as the answer is kept", () => {
    assert.deepStrictEqual(decide(record, ["POST /v1/others {}"], 999), { _tag: "Reused" })
  })

  it("whose answer is yet to come waits, until the reservation ends", () => {
    const reserved = { ...record, status: reservedStatus, ...reservation(null, 1_000, 5_000) }
    assert.deepStrictEqual(decide(reserved, [record.fingerprint], 999), { _tag: "InFlight" })
    assert.deepStrictEqual(decide(reserved, ["POST /v1/others {}"], 999), { _tag: "Reused" })
    assert.deepStrictEqual(decide(reserved, [record.fingerprint], 1_000), anew)
  })

  it("that has begun something waits while its process lives, and is then resumed until the record expires", () => {
    const reserved = { ...record, status: reservedStatus, ...reservation("msg_1", 500, 1_000) }
    const resumed = { _tag: "Proceed", continuation: "msg_1" } as const
    assert.deepStrictEqual(decide(reserved, [record.fingerprint], 499), { _tag: "InFlight" })
    for (const now of [500, 999]) assert.deepStrictEqual(decide(reserved, [record.fingerprint], now), resumed)
    assert.deepStrictEqual(decide(reserved, ["POST /v1/others {}"], 500), { _tag: "Reused" })
    assert.deepStrictEqual(decide(reserved, [record.fingerprint], 1_000), anew)
    // Without a continuation the record expires with the reservation.
    assert.deepStrictEqual(reservation(null, 500, 1_000), { body: "", expiresAt: 500 })
  })

  it("whose answer has expired is executed, whatever it stood for", () => {
    for (const now of [1_000, 5_000]) {
      assert.deepStrictEqual(decide(record, [record.fingerprint], now), anew)
      assert.deepStrictEqual(decide(record, ["POST /v1/others {}"], now), anew)
    }
  })

  it.prop("is never answered with the answer to another request", [Schema.String, Schema.Int], ([fingerprint, now]) => {
    const decision = decide(record, [fingerprint], now)
    assert.isTrue(decision._tag !== "Replay" || fingerprint === record.fingerprint)
  })
})

describe("a key", () => {
  it("is 1 to 255 visible characters of ASCII", () => {
    for (const key of ["a", "!", "~", "order-42:retry", "k".repeat(255), '"quoted"', "a,b;c=d"])
      assert.isTrue(isKey(key))
    const others = ["", " ", "a b", "a\tb", "a\n", "\u0000", "\u007f", "é", "🔑", "k".repeat(256), " a", "a "]
    for (const key of others) assert.isFalse(isKey(key), JSON.stringify(key))
  })
})
