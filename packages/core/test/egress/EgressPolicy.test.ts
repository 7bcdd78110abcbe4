/** Laws of the egress policy; the corpus of its cases is with the guard, in `packages/node/test/egress`. */
import { assert, describe, it } from "@effect/vitest"
import * as IpNetwork from "effect/net/IpNetwork"
import * as Schema from "effect/Schema"
import { allowsAddress, type EgressPolicy, refusalOfUrl } from "../../src/egress/EgressPolicy.ts"

const allowing = (...blocks: ReadonlyArray<string>): EgressPolicy => ({
  allowed: blocks.map(IpNetwork.fromStringUnsafe)
})
const none = allowing()

const byte = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))
const bytes = Schema.Tuple([byte, byte, byte, byte])
const group = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))
const groups = Schema.Tuple([group, group, group, group, group, group, group, group])

const v6 = (parts: ReadonlyArray<number>) => parts.map((part) => part.toString(16)).join(":")

describe("an address", () => {
  it.prop(
    "that live mode lets through, test mode does too; the other way round only this machine",
    [bytes],
    ([parts]) => {
      const address = parts.join(".")
      const [live, test] = [true, false].map((livemode) => allowsAddress(none, livemode, address))
      assert.strictEqual(test, live || parts[0] === 127)
    }
  )

  it.prop("of IPv6 is let through from 2000::/3 alone", [groups], ([parts]) => {
    if (allowsAddress(none, true, v6(parts))) assert.strictEqual((parts[0] ?? 0) >> 13, 1)
  })

  it.prop(
    "of IPv4 is let through in no IPv6 disguise, not even where its own network is allowed",
    [bytes],
    ([parts]) => {
      const [a, b, c, d] = parts
      const hex = v6([a * 256 + b, c * 256 + d])
      for (const disguise of [`::ffff:${hex}`, `::${hex}`, `::ffff:0:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`]) {
        if (disguise !== "::0:1") assert.isFalse(allowsAddress(allowing("0.0.0.0/0"), true, disguise), disguise)
      }
    }
  )

  it.prop(
    "that the operator allows is let through in both modes, and nothing else is by that",
    [bytes, bytes],
    ([one, other]) => {
      const [address, stranger] = [one.join("."), other.join(".")]
      const policy = allowing(`${address}/32`)
      for (const livemode of [true, false]) {
        assert.isTrue(allowsAddress(policy, livemode, address))
        if (stranger !== address)
          assert.strictEqual(allowsAddress(policy, livemode, stranger), allowsAddress(none, livemode, stranger))
      }
    }
  )
})

describe("text", () => {
  it.prop("that is no address is refused, whatever is allowed", [Schema.String], ([text]) => {
    if (!/^[0-9a-f:.%]+$/i.test(text)) assert.isFalse(allowsAddress(allowing("0.0.0.0/0", "::/0"), false, text))
  })

  it.prop(
    "is a URL of live mode only if it is one of test mode, of https, without credentials",
    [Schema.String],
    ([text]) => {
      for (const url of [text, `https://${text}`, `http://${text}`, `https://${text}@example.com/`]) {
        if (refusalOfUrl(true, url) !== undefined) continue
        assert.isUndefined(refusalOfUrl(false, url))
        const { password, protocol, username } = new URL(url)
        assert.deepStrictEqual([protocol, username, password], ["https:", "", ""])
      }
    }
  )
})
