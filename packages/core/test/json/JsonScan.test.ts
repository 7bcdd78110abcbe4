/** Whether a text is JSON, with some of its members, without parsing it. */
import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import * as JsonScan from "../../src/json/JsonScan.ts"

const names = new Set(["a", "usage"])
const scanned = (text: string, depthMax = 100) => Turns.atOnce(JsonScan.steps(text, names, depthMax))

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON texts, and pieces that spoil them. */
const whole = [
  '{"a":1,"b":{"a":2,"usage":[1,{"a":"x"}]},"c":[],"usage":{"n":-1.5e+3}}',
  ' [ 1 , "\\u00e9\\n" , true,false,null, {}, [[]], 0, -0.1E2 ]\r\n\t',
  '"a \\"text\\" \\\\"',
  '{"\\u0061":"by another spelling","a\\"":1,"":{"":[{"":null}]}}',
  "-0"
]
const pieces = [
  "",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  '"',
  "\\",
  "0",
  "-",
  ".",
  "e",
  "1",
  "t",
  " ",
  "\u00a0",
  "\n",
  "\0",
  "\\u12"
]

/** Each place of each text, replaced by each piece. */
const spoiled = whole.flatMap((text) =>
  Array.from({ length: text.length + 1 }, (_, at) => at).flatMap((at) =>
    pieces.flatMap((piece) => [
      text.slice(0, at) + piece + text.slice(at),
      text.slice(0, at) + piece + text.slice(at + 1)
    ])
  )
)

const membersOf = (text: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(text)
  const isTop = typeof value === "object" && value !== null && !Array.isArray(value)
  return isTop ? Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name))) : {}
}

describe("JsonScan", () => {
  it("takes for JSON what JSON.parse does, and finds the same members (P135)", () => {
    for (const text of [...whole, ...spoiled]) {
      const found = scanned(text)
      assert.strictEqual(found !== undefined, isJson(text), text)
      if (found === undefined) continue
      const members = Object.fromEntries([...found].map(([name, member]) => [name, JSON.parse(member)]))
      assert.deepStrictEqual(members, membersOf(text), text)
    }
    assert.isAbove(spoiled.filter(isJson).length, 100)
  })

  it("takes nothing for JSON that nests deeper than it may", () => {
    assert.isDefined(scanned("[[]]", 2))
    assert.isUndefined(scanned("[[[]]]", 2))
  })

  it("is done in turns, also within one long text (P135)", () => {
    for (const text of [JSON.stringify("x".repeat(10 * Turns.turnCost)), `[${"1,".repeat(5 * Turns.turnCost)}1]`]) {
      let turns = 0
      for (const _ of JsonScan.steps(text, names, 1)) turns++
      assert.isAtLeast(turns, 9)
    }
  })
})
