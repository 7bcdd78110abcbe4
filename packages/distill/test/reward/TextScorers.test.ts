/** The kinds that compare texts, against implementations that go another way. */
import { assert, describe, it } from "@effect/vitest"
import type { Message } from "@limbeck/distill/dataset/RowText"
import { toMessage } from "@limbeck/distill/reward/Completion"
import * as Generator from "@limbeck/testing/random/Generator"
import { contains, exactMatch, lastNumber, numeric } from "../../src/reward/internal/TextScorers.ts"

const calling = (name: string, args: string, id = "call_1"): Message => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name, arguments: args } }]
})

describe("exact_match", () => {
  it("takes a text as it is: case, spaces and how a character is composed count", () => {
    const expected = toMessage("Café")
    assert.strictEqual(exactMatch(expected, toMessage("Café")).score, 1)
    for (const text of ["café", "Café ", " Café", "Cafe\u0301", "", "Caf"]) {
      assert.strictEqual(exactMatch(expected, toMessage(text)).score, 0, text)
    }
  })

  it("compares content parts by their text, and tool calls by name and arguments", () => {
    const parts: Message = { role: "assistant", content: [{ type: "text", text: "yes" }] }
    assert.strictEqual(exactMatch(parts, toMessage("yes")).score, 1)
    const call = calling("find", '{"a":1,"b":[2]}')
    assert.strictEqual(exactMatch(call, calling("find", '{ "b": [2], "a": 1.0 }', "call_2")).score, 1)
    assert.strictEqual(exactMatch(call, calling("find", '{"a":1,"b":[3]}')).score, 0)
    assert.strictEqual(exactMatch(call, calling("fined", '{"a":1,"b":[2]}')).score, 0)
    assert.strictEqual(exactMatch(call, toMessage("")).score, 0)
    assert.strictEqual(exactMatch(calling("find", "not json"), calling("find", "not json")).score, 1)
    const old: Message = { role: "assistant", function_call: { name: "find", arguments: '{"a":1,"b":[2]}' } }
    assert.strictEqual(exactMatch(old, call).score, 1)
  })

  it("agrees with a comparison unit by unit", () => {
    const { pick, some } = Generator.make(1)
    for (let round = 0; round < 5_000; round++) {
      const text = () => some(3, () => pick(["a", "A", " ", "\u00e9", "e\u0301", "\ud83d\ude00", "\n"])).join("")
      const [one, other] = [text(), text()]
      const units = (of: string) => Array.from({ length: of.length }, (_, at) => of.charCodeAt(at)).join()
      assert.strictEqual(exactMatch(toMessage(one), toMessage(other)).score, units(one) === units(other) ? 1 : 0)
    }
  })
})

describe("contains", () => {
  /** Tries every place, unit by unit. */
  const occurs = (value: string, text: string): boolean => {
    if (value === "") return text === ""
    for (let from = 0; from + value.length <= text.length; from++) {
      let same = 0
      while (same < value.length && text.charCodeAt(from + same) === value.charCodeAt(same)) same++
      if (same === value.length) return true
    }
    return false
  }

  it("agrees with a search place by place", () => {
    const { pick, some } = Generator.make(2)
    let found = 0
    for (let round = 0; round < 5_000; round++) {
      const value = some(3, () => pick(["a", "b", "A", "."])).join("")
      const text = some(12, () => pick(["a", "b", "A", ".", "\n"])).join("")
      const { score } = contains(value, toMessage(text))
      assert.strictEqual(score, occurs(value, text) ? 1 : 0, JSON.stringify([value, text]))
      found += score ?? 0
    }
    assert.isTrue(found > 1_000 && found < 4_000)
  })
})

/** Reads digits by hand, from the left, and keeps the last number: its digits, and where its point is. */
const scan = (text: string): { readonly digits: bigint; readonly exponent: number } | undefined => {
  const characters = [...text]
  const isDigit = (at: number) => /^[0-9]$/.test(characters[at] ?? "")
  const digitsFrom = (at: number) => {
    let end = at
    while (isDigit(end)) end++
    return characters.slice(at, end).join("")
  }
  let last: { readonly digits: bigint; readonly exponent: number } | undefined
  let at = 0
  while (at < characters.length) {
    const begins = isDigit(at) || (characters[at] === "." && isDigit(at + 1))
    if (!begins) {
      at++
      continue
    }
    const sign = characters[at - 1] ?? ""
    const before = characters[at - 2] ?? ""
    const negative = (sign === "-" || sign === "\u2212") && !/^[\p{L}\p{N}]$/u.test(before)
    let whole = digitsFrom(at)
    at += whole.length
    if (whole.length >= 1 && whole.length <= 3) {
      // Groups of three belong to it unless the last is followed by a fourth digit.
      let end = at
      const groups: Array<string> = []
      while (characters[end] === "," && digitsFrom(end + 1).length === 3) {
        groups.push(digitsFrom(end + 1))
        end += 4
      }
      whole += groups.join("")
      at = end
    }
    let fraction = ""
    if (characters[at] === "." && isDigit(at + 1)) {
      fraction = digitsFrom(at + 1)
      at += 1 + fraction.length
    }
    let exponent = 0
    const signed = characters[at + 1] === "-" || characters[at + 1] === "+" ? 1 : 0
    if ((characters[at] === "e" || characters[at] === "E") && isDigit(at + 1 + signed)) {
      const power = digitsFrom(at + 1 + signed)
      exponent = Number(power) * (characters[at + 1] === "-" ? -1 : 1)
      at += 1 + signed + power.length
    }
    const magnitude = BigInt(whole + fraction || "0")
    last = { digits: negative ? -magnitude : magnitude, exponent: exponent - fraction.length }
  }
  return last
}

/** Whether two decimal numbers are at most a third apart, in whole numbers of a common place. */
const isWithin = (tolerance: string, one: string, other: string): boolean | undefined => {
  const numbers = [scan(one), scan(other), scan(tolerance)]
  const lowest = Math.min(...numbers.map((number) => number?.exponent ?? 0))
  const [a, b, most] = numbers.map((number) => number && number.digits * 10n ** BigInt(number.exponent - lowest))
  if (a === undefined || b === undefined || most === undefined) return undefined
  const apart = a < b ? b - a : a - b
  return apart <= most
}

describe("numeric", () => {
  it("finds the last number of a text", () => {
    const cases: ReadonlyArray<readonly [string, number | undefined]> = [
      ["The answer is 42.", 42],
      ["first 1, then 2", 2],
      ["$1,234,567.50 in all", 1_234_567.5],
      ["between 10-5", 5],
      ["-7 degrees", -7],
      ["\u22127", -7],
      ["x = .5", 0.5],
      ["6.02e23 per mole", 6.02e23],
      ["1e-3", 0.001],
      ["+3", 3],
      ["1,2345", 2345],
      ["none at all", undefined],
      ["", undefined],
      ["1e999", undefined],
      ["\u0663", undefined]
    ]
    for (const [text, expected] of cases) assert.strictEqual(lastNumber(text), expected, text)
  })

  it("agrees with decimal arithmetic, also right at the tolerance", () => {
    const { below, pick, some } = Generator.make(3)
    const decimal = () =>
      pick(["", "-", "+", "\u2212"]) +
      pick([
        `${below(2_000)}`,
        `1,${100 + below(900)}`,
        `${below(30)}.${below(100)}`,
        `.${below(10)}5`,
        `${below(9)}e${below(3)}`
      ])
    const around = () => pick(["", "about ", "is ", "x", "3 or ", "$", "(", "a-", "7"])
    let [agreeing, differing] = [0, 0]
    for (let round = 0; round < 20_000; round++) {
      const tolerance = pick(["0", "0.1", "0.5", "1", "0.01", "25"])
      const [expected, found] = [
        around() + decimal(),
        around() + decimal() + some(1, () => pick([".", " km", ")"])).join("")
      ]
      const within = isWithin(tolerance, expected, found)
      const { score } = numeric(Number(tolerance), toMessage(expected), toMessage(found))
      assert.strictEqual(
        score,
        within === undefined ? null : Number(within),
        JSON.stringify([tolerance, expected, found])
      )
      if (score === 1) agreeing++
      else differing++
    }
    assert.isTrue(agreeing > 500 && differing > 500)
    assert.strictEqual(numeric(0.1, toMessage("1"), toMessage("1.1")).score, 1)
  })

  it("a completion without a number scores 0, and a row without one scores nothing", () => {
    assert.deepInclude(numeric(1, toMessage("5"), toMessage("five")), { score: 0, error: null })
    assert.deepInclude(numeric(1, toMessage("five"), toMessage("5")), { score: null, error: "no_reference" })
  })

  it("reads a long text in a time that grows with it", () => {
    for (const unit of ["1", "1,", "1,111", "-", "1e", ".", "1."]) {
      numeric(0, toMessage("1"), toMessage(unit.repeat(100_000)))
    }
  })
})
