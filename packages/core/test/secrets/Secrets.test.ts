import { assert, describe, it } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Secrets from "../../src/secrets/Secrets.ts"

const Crypto = Layer.mergeAll(Digest.layerWebCrypto, Aead.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const key = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
const [first, second] = [key(1), key(2)]

type Keys = Parameters<typeof Secrets.layer>[0]

const seal = (keys: Keys, text: string, context = "endpoint") =>
  Effect.flatMap(Secrets.Secrets, (secrets) => secrets.seal(text, context)).pipe(
    Effect.provide(Layer.provide(Secrets.layer(keys), Crypto))
  )

const open = (keys: Keys, sealed: string, context = "endpoint") =>
  Effect.flatMap(Secrets.Secrets, (secrets) => secrets.open(sealed, context)).pipe(
    Effect.provide(Layer.provide(Secrets.layer(keys), Crypto))
  )

const staysShut = (keys: Keys, sealed: string, context?: string) =>
  Effect.map(Effect.exit(open(keys, sealed, context)), (exit) => assert.strictEqual(exit._tag, "Failure", sealed))

describe("a sealed secret", () => {
  it.effect.prop("opens as it was", [Schema.String.check(Schema.isPattern(/^\P{Cs}*$/u))], ([text]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* open([first], yield* seal([first], text)), text)
    })
  )

  it.effect("opens as it was, with every mark that text may hold", () =>
    Effect.gen(function* () {
      for (const text of ["", "\ufeffmarked", "\0", "é🔑\r\n", "x".repeat(100_000)]) {
        assert.strictEqual(yield* open([first], yield* seal([first], text)), text)
      }
    })
  )

  it.effect("shows nothing of the text, and is another each time", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* seal([first], "whsec_abc"), yield* seal([first], "whsec_abc")]
      assert.notStrictEqual(a, b)
      assert.notInclude(a, "whsec")
      assert.match(a, /^[0-9A-Za-z_.-]+$/)
    })
  )

  it.effect("opens in its own context alone", () =>
    Effect.gen(function* () {
      const sealed = yield* seal([first], "whsec_abc", "endpoint:a")
      yield* staysShut([first], sealed, "endpoint:b")
      yield* staysShut([first], sealed, "")
      assert.strictEqual(yield* open([first], sealed, "endpoint:a"), "whsec_abc")
    })
  )

  it.effect("stays shut when any character of it is another (P4)", () =>
    Effect.gen(function* () {
      const sealed = yield* seal([first], "whsec_abc")
      for (let at = 0; at < sealed.length; at++) {
        const other = sealed[at] === "_" ? "A" : "_"
        yield* staysShut([first], sealed.slice(0, at) + other + sealed.slice(at + 1))
      }
    })
  )

  it.effect("stays shut when its parts are taken apart or mixed with another's", () =>
    Effect.gen(function* () {
      const [a, b] = [yield* seal([first], "one"), yield* seal([first], "two")]
      const [version, id, wrapped, body] = a.split(".")
      const [, , otherWrapped, otherBody] = b.split(".")
      for (const parts of [
        [version, id, wrapped, otherBody],
        [version, id, otherWrapped, body],
        [version, id, body, wrapped],
        [version, id, wrapped],
        [version, id, "", ""],
        [version, id, wrapped, body, "more"],
        ["s0", id, wrapped, body],
        [""]
      ]) {
        yield* staysShut([first], parts.join("."))
      }
    })
  )
})

describe("rotating the key", () => {
  it.effect("the new key seals, and the old one still opens what it sealed", () =>
    Effect.gen(function* () {
      const before = yield* seal([first], "old")
      const after = yield* seal([second, first], "new")
      assert.strictEqual(yield* open([second, first], before), "old")
      assert.strictEqual(yield* open([second, first], after), "new")
      assert.strictEqual(yield* open([second], after), "new")
    })
  )

  it.effect("a key that is gone opens nothing", () =>
    Effect.gen(function* () {
      yield* staysShut([second], yield* seal([first], "old"))
      yield* staysShut([first], yield* seal([second, first], "new"))
    })
  )

  it.effect("a key that pretends to be another opens nothing", () =>
    Effect.gen(function* () {
      const [version, , ...rest] = (yield* seal([first], "text")).split(".")
      const [, otherId] = (yield* seal([second], "text")).split(".")
      yield* staysShut([first, second], [version, otherId, ...rest].join("."))
    })
  )
})

describe("a key", () => {
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n * 3))

  it("is read from 32 bytes in either alphabet of base64, padded or not", () => {
    for (const text of [bytes.toString("base64"), bytes.toString("base64url"), ` ${bytes.toString("base64")}\n`]) {
      const read = Secrets.parseKey(text)
      assert.deepStrictEqual(read && [...Redacted.value(read)], [...bytes])
    }
  })

  it("is nothing else", () => {
    const others = [
      "",
      "secret",
      bytes.subarray(1).toString("base64"),
      Buffer.concat([bytes, bytes]).toString("base64")
    ]
    for (const text of [...others, bytes.toString("hex"), "é".repeat(43)]) assert.isUndefined(Secrets.parseKey(text))
  })
})
