import { readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { createContext, runInContext } from "node:vm"
import { assert, describe, it } from "vitest"
import { type Reason, unwrap, type VerifyOptions, verify, WebhookVerificationError } from "../../src/webhooks/verify.ts"
import { body, event, header, hmac, now, seconds, secret } from "../support/Signed.ts"

const check = (given: {
  readonly rawBody?: string | Uint8Array | ArrayBuffer
  readonly header?: string | null | undefined
  readonly secret?: string | ReadonlyArray<string>
  readonly options?: VerifyOptions
}) => {
  const value = "header" in given ? given.header : header()
  return verify(given.rawBody ?? body, value, given.secret ?? secret, { now, ...given.options })
}

const reasonOf = async (given: Parameters<typeof check>[0]): Promise<Reason | "valid"> => {
  const result = await check(given)
  return result.valid ? "valid" : result.reason
}

const hintOf = async (given: Parameters<typeof check>[0]): Promise<string> => {
  const result = await check(given)
  assert.isFalse(result.valid)
  return result.valid ? "" : result.hint
}

const bytes = new TextEncoder().encode(body)

/** What a program in JavaScript, or with a cast, may pass although the types forbid it. */
const untyped = (value: unknown) => value as string

describe("a signed body", () => {
  it("is its event, as text, bytes, a buffer or a part of a larger one", async () => {
    const larger = Uint8Array.from([1, 2, 3, ...bytes, 4]).subarray(3, 3 + bytes.length)
    for (const rawBody of [body, bytes, Buffer.from(bytes), Uint8Array.from(bytes).buffer, larger]) {
      assert.deepStrictEqual(await check({ rawBody }), { valid: true, event })
    }
  })

  it("is accepted as other programs sign it", async () => {
    // By Python's hmac module: key "whsec_test", message "1700000000.{\"id\":\"evt_1\",\"type\":\"a.b\"}".
    const known = "e44a473077d32b2c128bb92903a1f68ba5c09ecf9c4746dbbd55ccc78823ff36"
    const result = await verify('{"id":"evt_1","type":"a.b"}', `t=1700000000,v1=${known}`, "whsec_test", { now })
    assert.isTrue(result.valid)
  })

  it("is refused when any one of its bytes is another", async () => {
    for (let at = 0; at < bytes.length; at++) {
      const tampered = bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))
      assert.strictEqual(await reasonOf({ rawBody: tampered }), "no_match", `byte ${at}`)
    }
  })

  it("is refused when a byte is missing or more at either end", async () => {
    const changed = [bytes.subarray(1), bytes.subarray(0, -1), [0x20, ...bytes], [...bytes, 0x0a], []]
    for (const rawBody of changed) assert.strictEqual(await reasonOf({ rawBody: Uint8Array.from(rawBody) }), "no_match")
  })

  it("does not change while it is verified", async () => {
    const rawBody = Uint8Array.from(bytes)
    const pending = check({ rawBody })
    rawBody.fill(0x20)
    assert.deepStrictEqual(await pending, { valid: true, event })
  })

  it("cannot lend bytes to the time", async () => {
    const shifted = `0.${body}`
    const moved = header(shifted).replace(`t=${seconds},`, `t=${seconds}.0,`)
    assert.strictEqual(await reasonOf({ header: moved }), "malformed_header")
  })

  for (const [what, text] of [
    ["no JSON", "hello"],
    ["empty", ""],
    ["no object", "[1]"],
    ["null", "null"],
    ["an object without a type", '{"id":"evt_1"}']
  ] as const) {
    it(`that is ${what} is said to be no event`, async () => {
      assert.strictEqual(await reasonOf({ rawBody: text, header: header(text) }), "not_json")
    })
  }

  it("that is not UTF-8 is said to be no event", async () => {
    const rawBody = Uint8Array.from([
      ...new TextEncoder().encode('{"id":"'),
      0xff,
      ...new TextEncoder().encode('","type":"a"}')
    ])
    assert.strictEqual(await reasonOf({ rawBody, header: header(rawBody) }), "not_json")
  })
})

describe("a secret", () => {
  it("may be old or new while both sign", async () => {
    const both = header(body, ["whsec_new", "whsec_old"])
    for (const key of ["whsec_new", "whsec_old"])
      assert.strictEqual(await reasonOf({ header: both, secret: key }), "valid")
    assert.strictEqual(await reasonOf({ header: both, secret: "whsec_older" }), "no_match")
  })

  it("may be any of several, wherever the one that counts stands", async () => {
    for (const keys of [
      [secret, "whsec_a"],
      ["whsec_a", "whsec_b", secret]
    ]) {
      assert.strictEqual(await reasonOf({ secret: keys }), "valid")
    }
    assert.strictEqual(await reasonOf({ secret: ["whsec_a", "whsec_b"] }), "no_match")
  })

  it("that differs in one character does not fit", async () => {
    for (let at = 0; at < secret.length; at++) {
      const other = `${secret.slice(0, at)}-${secret.slice(at + 1)}`
      assert.strictEqual(await reasonOf({ secret: other }), "no_match")
    }
  })

  it("that is missing or empty is an error of the receiver, not of the request", async () => {
    for (const none of ["", [], [secret, ""], untyped(undefined), untyped([undefined])]) {
      const failed = await verify(body, header(), none, { now }).then(
        () => undefined,
        (error: unknown) => error
      )
      assert.instanceOf(failed, TypeError)
    }
  })
})

describe("a time", () => {
  const cases: ReadonlyArray<readonly [offMillis: number, expected: Reason | "valid"]> = [
    [0, "valid"],
    [300_000, "valid"],
    [-300_000, "valid"],
    [300_001, "expired"],
    [-300_001, "expired"],
    [Number.NaN, "expired"]
  ]
  for (const [off, expected] of cases) {
    it(`that is off by ${off} ms is ${expected}`, async () => {
      assert.strictEqual(await reasonOf({ options: { now: () => now() + off } }), expected)
    })
  }

  it("is held against the tolerance that is given, and against none that is no number", async () => {
    const late = () => now() + 11_000
    assert.strictEqual(await reasonOf({ options: { now: late, toleranceSeconds: 11 } }), "valid")
    assert.strictEqual(await reasonOf({ options: { now: late, toleranceSeconds: 10 } }), "expired")
    assert.strictEqual(await reasonOf({ options: { toleranceSeconds: 0 } }), "valid")
    assert.strictEqual(await reasonOf({ options: { toleranceSeconds: Number.NaN } }), "expired")
  })

  it("is the system's by default", async () => {
    const result = await verify(body, header(), secret)
    assert.strictEqual(result.valid ? "valid" : result.reason, "expired")
  })

  it("other than the one that was signed does not fit", async () => {
    assert.strictEqual(await reasonOf({ header: header().replace(`t=${seconds}`, `t=${seconds + 1}`) }), "no_match")
  })
})

describe("a header with", () => {
  const good = hmac()
  const other = "0".repeat(64)
  const cases: ReadonlyArray<readonly [what: string, header: string | null | undefined, Reason | "valid"]> = [
    ["fields in another order", `v1=${good},t=${seconds}`, "valid"],
    ["spaces between the fields", ` t=${seconds} , v1=${good} `, "valid"],
    ["fields that we do not know", `t=${seconds},v1=${good},v0=${other},x,=`, "valid"],
    ["the digest that counts as the last of three", `t=${seconds},v1=${other},v1=zz,v1=${good}`, "valid"],
    ["the same digest twice", `${header()},v1=${good}`, "valid"],
    ["a thousand digests that do not count", `t=${seconds}${`,v1=${other}`.repeat(1000)}`, "no_match"],
    ["a wrong digest", `t=${seconds},v1=${other}`, "no_match"],
    ["a digest in capitals", `t=${seconds},v1=${good.toUpperCase()}`, "no_match"],
    ["a digest cut short", `t=${seconds},v1=${good.slice(0, 62)}`, "no_match"],
    ["a digest with more behind it", `t=${seconds},v1=${good}00`, "no_match"],
    ["a digest with a field in it", `t=${seconds},v1=${good}=x`, "no_match"],
    ["a digest of letters that are not ASCII", `t=${seconds},v1=${"\u0130".repeat(64)}`, "no_match"],
    ["an empty digest", `t=${seconds},v1=`, "no_match"],
    ["a time with zeros before it", `t=0${seconds},v1=${good}`, "no_match"],
    ["only digests of another scheme", `t=${seconds},v0=${good}`, "malformed_header"],
    ["names in capitals", `T=${seconds},V1=${good}`, "malformed_header"],
    ["no time", `v1=${good}`, "malformed_header"],
    ["two times", `t=${seconds},t=${seconds},v1=${good}`, "malformed_header"],
    ["two headers in it", `${header()}, ${header()}`, "malformed_header"],
    ["an empty time", `t=,v1=${good}`, "malformed_header"],
    ["a time that is no integer", `t=${seconds}.5,v1=${good}`, "malformed_header"],
    ["a time with a sign", `t=+${seconds},v1=${good}`, "malformed_header"],
    ["a time below zero", `t=-1,v1=${good}`, "malformed_header"],
    ["a time in hexadecimal", `t=0x6553f100,v1=${good}`, "malformed_header"],
    ["a time with an exponent", `t=17e8,v1=${good}`, "malformed_header"],
    ["a time with more behind it", `t=${seconds}=1,v1=${good}`, "malformed_header"],
    ["a time in other digits", "t=١٧٠٠٠٠٠٠٠٠,v1=00", "malformed_header"],
    ["a time beyond numbers", `t=${"9".repeat(400)},v1=${good}`, "malformed_header"],
    ["no digest", `t=${seconds}`, "malformed_header"],
    ["semicolons", `t=${seconds};v1=${good}`, "malformed_header"],
    ["commas alone", ",,,", "malformed_header"],
    ["something else", "Bearer abc", "malformed_header"],
    ["nothing", "", "missing_header"],
    ["null for a value", null, "missing_header"],
    ["no value", undefined, "missing_header"]
  ]
  for (const [what, given, expected] of cases) {
    it(`${what} is ${expected}`, async () => {
      assert.strictEqual(await reasonOf({ header: given }), expected)
    })
  }
})

describe("a hint", () => {
  it("tells by how much the clock is off, and which way", async () => {
    assert.match(await hintOf({ options: { now: () => now() + 412_000 } }), /clock is off by 412 s.* in the past/)
    assert.match(await hintOf({ options: { now: () => now() - 412_000 } }), /clock is off by 412 s.* in the future/)
  })

  it("tells that an object was passed where bytes are needed", async () => {
    assert.match(await hintOf({ rawBody: untyped(event) }), /was parsed, it is an object: pass the raw bytes/)
    assert.match(await hintOf({ rawBody: untyped([event]) }), /was parsed/)
    const missing = await verify(untyped(undefined), header(), secret, { now })
    assert.match(missing.valid ? "" : missing.hint, /there is no body/)
  })

  it("tells that the body was parsed and serialised again, when it was", async () => {
    for (const rawBody of [JSON.stringify(event, null, 2), `${body}\n`]) {
      assert.match(await hintOf({ rawBody }), /parsed and serialised again/)
    }
    const pretty = JSON.stringify({ ...event, type: "another" }, null, 2)
    assert.notMatch(await hintOf({ rawBody: pretty }), /serialised again/)
  })

  it("tells what is wrong with the look of a secret", async () => {
    assert.match(await hintOf({ secret: `${secret}\n` }), /white space/)
    assert.match(await hintOf({ secret: secret.slice("whsec_".length) }), /does not begin with whsec_/)
    assert.match(await hintOf({ secret: "whsec_other" }), /another endpoint/)
  })

  it("tells what a header lacks", async () => {
    assert.match(await hintOf({ header: "v1=00" }), /no t=/)
    assert.match(await hintOf({ header: `t=${seconds}` }), /no v1=/)
    assert.match(await hintOf({ header: undefined }), /no signature header/)
  })

  it("never shows a secret or a digest", async () => {
    const headers = [undefined, "x", `t=${seconds},v1=00`, "t=1,v1=00"]
    for (const given of headers) {
      const hint = await hintOf({ header: given })
      assert.notInclude(hint, secret)
      assert.notInclude(hint, hmac())
    }
  })
})

describe("unwrap", () => {
  it("answers with the event", async () => {
    assert.deepStrictEqual(await unwrap(body, header(), secret, { now }), event)
  })

  it("throws what verify says", async () => {
    const error = await unwrap(body, header(), "whsec_other", { now }).then(
      () => undefined,
      (cause: unknown) => cause
    )
    assert.instanceOf(error, WebhookVerificationError)
    const refusal = await check({ secret: "whsec_other" })
    assert.deepStrictEqual({ valid: false, reason: error.reason, hint: error.hint }, refusal)
    assert.strictEqual(error.message, `The webhook is not valid (no_match): ${error.hint}`)
    assert.strictEqual(error.name, "WebhookVerificationError")
  })
})

describe("the module", () => {
  const source = readFileSync(new URL("../../src/webhooks/verify.ts", import.meta.url), "utf8")
  const script = stripTypeScriptTypes(source)

  it("imports nothing", () => {
    assert.notMatch(script, /^\s*import\b|\bimport\s*\(|\brequire\s*\(|\bfrom\s+["']/m)
  })

  it("runs where there is nothing but the language, text coding and Web Crypto", async () => {
    const { crypto } = globalThis
    const context = createContext({ crypto, TextEncoder, TextDecoder, body, header: header(), secret, now })
    const plain = `${script.replaceAll(/^export /gm, "")}; verify(body, header, secret, { now })`
    // The function's answer, from another realm.
    const result = (await runInContext(plain, context)) as unknown
    assert.strictEqual(JSON.stringify(result), JSON.stringify({ valid: true, event }))
  })
})
