import { assert, describe, it, layer } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/testing/TestClock"
import * as Id from "../../src/ids/Id.ts"
import * as Ids from "../../src/ids/Ids.ts"

const form = /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/

const Live = Ids.layer.pipe(Layer.provide(SecureRandom.layerWebCrypto))
const make = Effect.flatMap(Ids.Ids, (ids) => ids.make("evt"))
const many = (count: number) => Effect.replicateEffect(make, count)

/** In plain text order, like a database's. */
const isOrdered = (ids: ReadonlyArray<string>) => ids.every((id, at) => at === 0 || ids[at - 1]! < id)

layer(Live)("ids that are made", (it) => {
  it.effect("have the form of the contract", () =>
    Effect.gen(function* () {
      for (const id of yield* many(100)) assert.match(id, form)
      const ids = yield* Ids.Ids
      for (const prefix of ["ws", "tok", "req", "upl"] as const) {
        assert.isTrue((yield* ids.make(prefix)).startsWith(`${prefix}_`))
      }
    })
  )

  it.effect("are ordered as they were made, 10,000 within one millisecond (P12)", () =>
    Effect.gen(function* () {
      const ids = yield* many(10_000)
      assert.isTrue(isOrdered(ids))
      assert.strictEqual(new Set(ids).size, 10_000)
    })
  )

  it.effect("are ordered as they were made while time goes on, stands still or steps back (P12)", () =>
    Effect.gen(function* () {
      const ids: Array<string> = []
      for (const at of [1_000, 1_001, 1_001, 500, 499, 1_001, 5_000, 4_999, 1_795_168_800_000]) {
        yield* TestClock.setTime(at)
        ids.push(...(yield* many(50)))
      }
      assert.isTrue(isOrdered(ids))
    })
  )

  it.effect("lie between the floors of their millisecond and the next", () =>
    Effect.gen(function* () {
      for (const at of [1_795_168_900_000, 1_795_168_900_001, 4_102_444_800_000]) {
        yield* TestClock.setTime(at)
        for (const id of yield* many(20)) {
          assert.isAtLeast(id.localeCompare(Id.floorAt("evt", at)), 0)
          assert.isTrue(Id.floorAt("evt", at) <= id && id < Id.floorAt("evt", at + 1))
        }
      }
    })
  )
})

describe("an id", () => {
  it("is its 128 bits in Crockford base32, most significant first", () => {
    // Made with the arithmetic of another language.
    assert.strictEqual(
      Id.fromBytes(
        "evt",
        Uint8Array.from({ length: 16 }, (_, n) => n)
      ),
      "evt_00041061050r3gg28a1c60t3gf"
    )
    assert.strictEqual(Id.fromBytes("evt", new Uint8Array(16).fill(255)), "evt_7zzzzzzzzzzzzzzzzzzzzzzzzz")
    assert.strictEqual(Id.fromBytes("evt", new Uint8Array(16)), "evt_00000000000000000000000000")
    assert.strictEqual(Id.floorAt("evt", 1_795_168_800_123), "evt_01m7w6c3bv0000000000000000")
  })

  const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
  const bytes = Arbitrary.map(Arbitrary.array(Arbitrary.schema(byte), { minLength: 16, maxLength: 16 }), (values) =>
    Uint8Array.from(values)
  )
  const bigintOf = (value: Uint8Array) => BigInt(`0x${Buffer.from(value).toString("hex")}`)

  it.prop("has the order of its bytes, and the form of the contract", [bytes, bytes], ([a, b]) => {
    const [first, second] = [Id.fromBytes("evt", a), Id.fromBytes("evt", b)]
    assert.match(first, form)
    assert.strictEqual(first < second, bigintOf(a) < bigintOf(b))
    assert.strictEqual(first === second, bigintOf(a) === bigintOf(b))
  })

  const time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 281_474_976_710_655 }))
  it.prop("of an earlier instant has a lower floor, and tells its instant", [time, time], ([a, b]) => {
    assert.strictEqual(Id.floorAt("evt", a) < Id.floorAt("evt", b), a < b)
    assert.strictEqual(Id.timeOf(Id.floorAt("evt", a)), a)
  })

  it("before 1970 has the floor of 1970", () => {
    assert.strictEqual(Id.floorAt("evt", -1), Id.floorAt("evt", 0))
  })

  const body = "01m7w6c3bv0000000000000000"
  it("is known by its schema, and nothing else is", () => {
    const isEvent = (text: string) => Option.isSome(Schema.decodeUnknownOption(Id.EventId)(text))
    assert.isTrue(isEvent(`evt_${body}`))
    const others = [
      body,
      `ws_${body}`,
      `EVT_${body}`,
      `evt-${body}`,
      `evt_${body.slice(1)}`,
      `evt_${body}0`,
      `evt_${body.toUpperCase()}`,
      ...["i", "l", "o", "u", "é", " ", "\n"].map((letter) => `evt_${letter}${body.slice(1)}`),
      `evt_${body}\n`,
      ` evt_${body}`,
      ""
    ]
    for (const other of others) assert.isFalse(isEvent(other), JSON.stringify(other))
  })
})
