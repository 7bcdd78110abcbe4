import { createHmac, timingSafeEqual } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { keyOf, sign, type Verdict, verify } from "../../src/signing/Signature.ts"

const Live = Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))

const body = new TextEncoder().encode('{"id":"evt_1"}')
const secret = "whsec_test"
const timestampSeconds = 1_700_000_000
const now = timestampSeconds * 1000

/** HMAC by Node, following service-api 6.3. */
const hmac = (timestamp: string | number, key = secret, bytes: Uint8Array = body) =>
  createHmac("sha256", key).update(`${timestamp}.`).update(bytes).digest("hex")

/** What a stock Stripe-style library does with a header. */
const stockVerifies = (header: string, key: string, bytes: Uint8Array): boolean => {
  const items = header.split(",").map((item) => item.split("="))
  const timestamp = items.find(([name]) => name === "t")?.[1] ?? ""
  const expected = Buffer.from(hmac(Number.parseInt(timestamp, 10), key, bytes))
  return items
    .filter(([name]) => name === "v1")
    .some(([, value = ""]) => value.length === expected.length && timingSafeEqual(Buffer.from(value), expected))
}

const good = hmac(timestampSeconds)
const header = `t=${timestampSeconds},v1=${good}`

const verdict = (options: Partial<Parameters<typeof verify>[0]>) => verify({ body, header, secret, now, ...options })

layer(Live)("a signature", (it) => {
  it.effect("is the one that other programs compute", () =>
    Effect.gen(function* () {
      // By Python's hmac module.
      const known = "c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925"
      assert.strictEqual(good, known)
      assert.strictEqual(yield* sign({ body, secrets: [secret], timestampSeconds }), `t=1700000000,v1=${known}`)
    })
  )

  it.effect("is the same by a key that was made of the secret before", () =>
    Effect.gen(function* () {
      const key = yield* keyOf(secret)
      for (const bytes of [body, new Uint8Array(), body]) {
        const [byKey, byText] = [[key], [secret]].map((secrets) => sign({ body: bytes, secrets, timestampSeconds }))
        assert.strictEqual(yield* byKey!, yield* byText!)
      }
    })
  )

  it.effect("stands for the old and the new secret while they overlap, the newest first", () =>
    Effect.gen(function* () {
      const both = yield* sign({ body, secrets: ["whsec_new", "whsec_old"], timestampSeconds })
      const [newest, old] = ["whsec_new", "whsec_old"].map((key) => hmac(timestampSeconds, key))
      assert.strictEqual(both, `t=1700000000,v1=${newest},v1=${old}`)
      for (const key of ["whsec_new", "whsec_old"]) {
        assert.strictEqual(yield* verdict({ header: both, secret: key }), "valid")
        assert.isTrue(stockVerifies(both, key, body))
      }
      assert.strictEqual(yield* verdict({ header: both, secret: "whsec_older" }), "no_match")
    })
  )

  it.effect.prop(
    "of any body and secret is accepted by a stock verifier and by ours, for this body and secret alone (P20)",
    [Schema.Uint8Array, Schema.NonEmptyString],
    ([bytes, key]) =>
      Effect.gen(function* () {
        const made = yield* sign({ body: bytes, secrets: [key], timestampSeconds })
        assert.isTrue(stockVerifies(made, key, bytes))
        assert.strictEqual(yield* verdict({ header: made, secret: key, body: bytes }), "valid")
        assert.strictEqual(yield* verdict({ header: made, secret: `${key}x`, body: bytes }), "no_match")
        const longer = Uint8Array.from([...bytes, 0])
        assert.strictEqual(yield* verdict({ header: made, secret: key, body: longer }), "no_match")
      })
  )

  it.effect("does not hold for a body changed in any byte", () =>
    Effect.gen(function* () {
      for (let at = 0; at < body.length; at++) {
        const tampered = body.map((byte, index) => (index === at ? byte ^ 1 : byte))
        assert.strictEqual(yield* verdict({ body: tampered }), "no_match")
      }
    })
  )

  it.effect("does not hold for another time than the one that was signed", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict({ header: `t=${timestampSeconds + 1},v1=${good}` }), "no_match")
    })
  )

  it.effect("cannot be moved between time and body (P20)", () =>
    Effect.gen(function* () {
      const shifted = new TextEncoder().encode('0.{"id":"evt_1"}')
      const made = yield* sign({ body: shifted, secrets: [secret], timestampSeconds })
      assert.strictEqual(yield* verdict({ header: made.replace("t=1700000000,", "t=1700000000.0,") }), "malformed")
    })
  )

  const times: ReadonlyArray<readonly [offsetMillis: number, Verdict]> = [
    [0, "valid"],
    [300_000, "valid"],
    [-300_000, "valid"],
    [300_001, "expired"],
    [-300_001, "expired"],
    [86_400_000, "expired"]
  ]
  for (const [offset, expected] of times) {
    it.effect(`received ${offset} ms after it was made is ${expected}`, () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* verdict({ now: now + offset }), expected)
      })
    )
  }

  it.effect("is expired, not wrong, when it is both", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* verdict({ now: 0, secret: "whsec_other" }), "expired")
      assert.strictEqual(yield* verdict({ now: now + 20_000, toleranceSeconds: 10 }), "expired")
    })
  )

  const other = "0".repeat(64)
  const headers: ReadonlyArray<readonly [what: string, header: string, Verdict]> = [
    ["fields in another order", `v1=${good},t=${timestampSeconds}`, "valid"],
    ["spaces between the fields", `t=${timestampSeconds}, v1=${good}`, "valid"],
    ["fields that we do not know", `t=${timestampSeconds},v1=${good},v0=${other},x`, "valid"],
    ["the digest that counts as the last of three", `t=${timestampSeconds},v1=${other},v1=zz,v1=${good}`, "valid"],
    ["the same digest twice", `${header},v1=${good}`, "valid"],
    ["only digests of another scheme", `t=${timestampSeconds},v0=${good}`, "malformed"],
    ["a wrong digest", `t=${timestampSeconds},v1=${other}`, "no_match"],
    ["a digest in capitals", `t=${timestampSeconds},v1=${good.toUpperCase()}`, "no_match"],
    ["a digest cut short", `t=${timestampSeconds},v1=${good.slice(0, 62)}`, "no_match"],
    ["a digest with more behind it", `t=${timestampSeconds},v1=${good}00`, "no_match"],
    ["a digest with a field in it", `t=${timestampSeconds},v1=${good}=x`, "no_match"],
    ["an empty digest", `t=${timestampSeconds},v1=`, "no_match"],
    ["no time", `v1=${good}`, "malformed"],
    ["two times", `t=${timestampSeconds},t=${timestampSeconds},v1=${good}`, "malformed"],
    ["an empty time", `t=,v1=${good}`, "malformed"],
    ["a time that is no integer", `t=${timestampSeconds}.5,v1=${good}`, "malformed"],
    ["a time with a sign", `t=+${timestampSeconds},v1=${good}`, "malformed"],
    ["a time below zero", `t=-1,v1=${good}`, "malformed"],
    ["a time in hexadecimal", `t=0x6553f100,v1=${good}`, "malformed"],
    ["a time with an exponent", `t=17e8,v1=${good}`, "malformed"],
    ["a time with more behind it", `t=${timestampSeconds}=1,v1=${good}`, "malformed"],
    ["a time in words", `t=now,v1=${good}`, "malformed"],
    ["a time beyond numbers", `t=${"9".repeat(400)},v1=${good}`, "malformed"],
    ["no digest", `t=${timestampSeconds}`, "malformed"],
    ["nothing", "", "malformed"],
    ["something else", "Bearer abc", "malformed"]
  ]
  describe("in a header with", () => {
    for (const [what, given, expected] of headers) {
      it.effect(`${what} is ${expected}`, () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* verdict({ header: given }), expected)
        })
      )
    }
  })

  it.effect("covers bytes that are no text as they are", () =>
    Effect.gen(function* () {
      const bytes = Uint8Array.of(0xff, 0x00, 0xfe, 0x0d, 0x0a)
      const made = yield* sign({ body: bytes, secrets: [secret], timestampSeconds })
      assert.strictEqual(made, `t=${timestampSeconds},v1=${hmac(timestampSeconds, secret, bytes)}`)
    })
  )
})
