/** Patterns: RE2 against a matcher that tries every way, and what no pattern may do. */
import { assert, describe, it } from "@effect/vitest"
import * as Effort from "@limbeck/testing/fixtures/Effort"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Result from "effect/Result"
import * as Re2Patterns from "../../src/reward/internal/Re2Patterns.ts"

const { compile } = Re2Patterns

const matcher = (pattern: string) => {
  const compiled = compile(pattern)
  assert.isTrue(Result.isSuccess(compiled), pattern)
  return Result.getOrThrow(compiled)
}

type Node =
  | { readonly is: "character"; readonly of: string }
  | { readonly is: "any" | "begin" | "end" }
  | { readonly is: "class"; readonly of: string; readonly negated: boolean }
  | { readonly is: "sequence" | "choice"; readonly of: ReadonlyArray<Node> }
  | { readonly is: "repeat"; readonly of: Node; readonly min: number; readonly max: number }

const print = (node: Node): string => {
  switch (node.is) {
    case "character":
      return node.of
    case "any":
      return "."
    case "begin":
      return "^"
    case "end":
      return "$"
    case "class":
      return `[${node.negated ? "^" : ""}${node.of}]`
    case "sequence":
      return node.of.map((one) => `(?:${print(one)})`).join("")
    case "choice":
      return node.of.map((one) => `(?:${print(one)})`).join("|")
    case "repeat": {
      const many = node.max === Number.POSITIVE_INFINITY ? `{${node.min},}` : `{${node.min},${node.max}}`
      return `(?:${print(node.of)})${many}`
    }
  }
}

/** Every end of a match that begins at one of `starts`. */
const ends = (node: Node, text: string, starts: ReadonlySet<number>): ReadonlySet<number> => {
  const step = (fits: (character: string) => boolean) =>
    new Set([...starts].filter((at) => at < text.length && fits(text[at] ?? "")).map((at) => at + 1))
  switch (node.is) {
    case "character":
      return step((character) => character === node.of)
    case "any":
      return step((character) => character !== "\n")
    case "class":
      return step((character) => node.of.includes(character) !== node.negated)
    case "begin":
      return new Set([...starts].filter((at) => at === 0))
    case "end":
      return new Set([...starts].filter((at) => at === text.length))
    case "sequence":
      return node.of.reduce((from, one) => ends(one, text, from), starts)
    case "choice":
      return new Set(node.of.flatMap((one) => [...ends(one, text, starts)]))
    case "repeat": {
      let reached = starts
      const all = new Set(node.min === 0 ? starts : [])
      // After as many rounds as positions, no new position is reachable.
      for (let round = 1; round <= Math.min(node.max, node.min + text.length + 1); round++) {
        reached = ends(node.of, text, reached)
        if (round >= node.min) for (const at of reached) all.add(at)
      }
      return all
    }
  }
}

const finds = (node: Node, text: string): boolean =>
  ends(node, text, new Set(Array.from({ length: text.length + 1 }, (_, at) => at))).size > 0

const tree = (generator: Generator.Generator, depth: number): Node => {
  const { below, pick } = generator
  const inner = () => tree(generator, depth - 1)
  const leaf = (): Node =>
    pick<() => Node>([
      () => ({ is: "character", of: pick(["a", "b", "c"]) }),
      () => ({ is: "character", of: pick(["a", "b", "c"]) }),
      () => ({ is: pick(["any", "begin", "end"]) }),
      () => ({ is: "class", of: pick(["a", "ab", "bc"]), negated: below(2) === 0 })
    ])()
  if (depth === 0) return leaf()
  return pick<() => Node>([
    () => ({ is: "sequence", of: [inner(), inner(), inner()] }),
    () => ({ is: "sequence", of: [inner(), inner()] }),
    () => ({ is: "choice", of: [inner(), inner()] }),
    () => {
      const min = below(3)
      return { is: "repeat", of: inner(), min, max: pick([min + 1, min + 2, Number.POSITIVE_INFINITY]) }
    }
  ])()
}

describe("patterns", () => {
  it("are found exactly where a matcher that tries every way finds them", () => {
    const generator = Generator.make(7)
    let found = 0
    for (let round = 0; round < 1_500; round++) {
      const node = tree(generator, 1 + generator.below(3))
      const find = matcher(print(node))
      for (let word = 0; word < 4; word++) {
        const text = generator.some(8, () => generator.pick(["a", "b", "c", "d", "\n"])).join("")
        const expected = finds(node, text)
        assert.strictEqual(find(text), expected ? "found" : "absent", JSON.stringify([print(node), text]))
        found += Number(expected)
      }
    }
    assert.isTrue(found > 1_500 && found < 5_500, `${found} of 6000`)
  })

  it("know the flags and classes of RE2, names of groups, and the escapes of JavaScript", () => {
    const cases = [
      ["(?i)paris", "PARIS"],
      ["^\\d{4}-\\d{2}$", "2026-11"],
      ["(?<year>\\d+)", "in 2026"],
      ["\\u00e9", "caf\u00e9"],
      ["\\p{Greek}", "\u03b1"],
      ["(?s)a.b", "a\nb"],
      ["(?m)^b$", "a\nb\nc"],
      ["a\\/b", "a/b"],
      [".", "\ud83d\ude00"]
    ] as const
    for (const [pattern, text] of cases) assert.strictEqual(matcher(pattern)(text), "found", pattern)
  })

  it("that no linear search can do, or that are none, are refused with the reason", () => {
    for (const pattern of [
      "(a)\\1",
      "(?=a)",
      "(?!a)",
      "(?<=a)b",
      "(?<!a)b",
      "[",
      "(",
      "a{1001}",
      "(a{1000}){1000}",
      "*"
    ]) {
      const compiled = compile(pattern)
      assert.isTrue(Result.isFailure(compiled), pattern)
      assert.match(Result.isFailure(compiled) ? compiled.failure : "", /^This pattern .*RE2's syntax/, pattern)
    }
  })

  it("cannot be made to hang, whatever the pattern and the text (P50)", () => {
    const long = "a".repeat(1_000_000)
    const patterns = [
      "(a+)+$",
      "(a|aa)+$",
      "(a|a?)+b?$",
      "(.*)(.*)(.*)(.*)[^a]",
      "(a*)*".repeat(100),
      "(?:a?){500}a{500}",
      "[ab]{0,1000}c",
      "(x+x+)+y"
    ]
    for (const pattern of patterns) {
      const find = matcher(pattern)
      for (const text of [long, `${long}!`, "ab".repeat(500_000)]) {
        // The limit is 1 s.
        const millis = Effort.cpuMillis(() => find(text))
        assert.isBelow(millis, 3_000, pattern)
      }
      assert.notStrictEqual(find("a"), "too_costly", "and works again afterwards")
    }
  })
})
