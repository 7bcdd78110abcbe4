import { crc32 as crc32OfNode } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Base62 from "../../src/tokens/Base62.ts"
import * as TokenSecret from "../../src/tokens/TokenSecret.ts"

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** Reads base62 by Horner's rule. */
const numberOf = (text: string) => [...text].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)

const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const random = Arbitrary.map(Arbitrary.array(Arbitrary.schema(byte), { minLength: 32, maxLength: 32 }), (values) =>
  Uint8Array.from(values)
)
const ascii = Schema.String.check(Schema.isPattern(/^[ -~]*$/))

describe("base62", () => {
  it.prop("writes 256 bits so that they can be read again, in 43 digits", [random], ([bytes]) => {
    const text = Base62.fromBytes(bytes)
    assert.match(text, /^[0-9A-Za-z]{43}$/)
    assert.strictEqual(numberOf(text), BigInt(`0x${Buffer.from(bytes).toString("hex")}`))
  })

  it("pads with zeros, most significant digit first", () => {
    assert.strictEqual(Base62.encode(0n, 6), "000000")
    assert.strictEqual(Base62.encode(61n, 2), "0z")
    assert.strictEqual(Base62.encode(62n, 2), "10")
    assert.strictEqual(Base62.encode(0xffffffffn, 6), "4gfFC3")
    assert.strictEqual(numberOf("4gfFC3"), 0xffffffffn)
  })
})

describe("the checksum", () => {
  it("is the published CRC-32", () => {
    assert.strictEqual(TokenSecret.crc32("123456789"), 0xcbf43926)
    assert.strictEqual(TokenSecret.crc32(""), 0)
  })

  it.prop("is the CRC-32 that Node computes", [ascii], ([text]) => {
    assert.strictEqual(TokenSecret.crc32(text), crc32OfNode(text))
  })
})

describe("a token's secret", () => {
  it("is the one that another program makes of the same bits", () => {
    // By Python's zlib and integers.
    assert.strictEqual(
      TokenSecret.fromBytes(true, new Uint8Array(32)),
      "svc_live_0000000000000000000000000000000000000000000297tdY"
    )
    assert.strictEqual(
      TokenSecret.fromBytes(false, new Uint8Array(32).fill(255)),
      "svc_test_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13ekwWW"
    )
    assert.strictEqual(
      TokenSecret.fromBytes(
        true,
        Uint8Array.from({ length: 32 }, (_, n) => n)
      ),
      "svc_live_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1cF9PE"
    )
  })

  it.prop(
    "tells its mode, and ends with the checksum of what precedes",
    [random, Schema.Boolean],
    ([bytes, livemode]) => {
      const secret = TokenSecret.fromBytes(livemode, bytes)
      assert.match(secret, livemode ? /^svc_live_[0-9A-Za-z]{49}$/ : /^svc_test_[0-9A-Za-z]{49}$/)
      assert.strictEqual(numberOf(secret.slice(-6)), BigInt(crc32OfNode(secret.slice(0, -6))))
    }
  )
})

describe("a bootstrap token", () => {
  const random32 = "aB3".repeat(11).slice(0, 32)

  it("is the prefix of its mode and at least 32 base62 characters", () => {
    assert.isTrue(TokenSecret.isBootstrap(true, `svc_live_${random32}`))
    assert.isTrue(TokenSecret.isBootstrap(false, `svc_test_${random32}${random32}`))
    assert.isTrue(TokenSecret.isBootstrap(true, TokenSecret.fromBytes(true, new Uint8Array(32))))
  })

  it("is nothing else", () => {
    const others = [
      `svc_test_${random32}`,
      `svc_live_${random32.slice(1)}`,
      `svc_live_${random32.slice(1)}-`,
      `svc_live_${random32}\n`,
      random32,
      "svc_live_",
      ""
    ]
    for (const other of others) assert.isFalse(TokenSecret.isBootstrap(true, other), other)
  })
})
