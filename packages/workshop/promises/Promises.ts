/**
 * The promises of docs/promises.md and their tests. The page holds one list item per promise; a test belongs to a promise when its
 * name ends with the promise's number, such as "a key is free after a crash (P2)".
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")
const page = path.join(root, "docs/promises.md")

interface Test {
  readonly file: string
  readonly name: string
}

/** Sentences by number, in the order of the page. */
export const sentences = (): ReadonlyMap<string, string> => {
  const items = fs.readFileSync(page, "utf8").matchAll(/^- \*\*(P\d+)\.\*\* (.+)$/gm)
  return new Map([...items].map(([, number = "", sentence = ""]) => [number, sentence]))
}

/** A test name with promise numbers, as a literal in a source. */
const carrier = /(["'`])((?:(?!\1)[^\n\\]|\\.)+) \((P\d+(?:, P\d+)*)\)\1/g

/** The same for a promise kept by the compiler: the comment above code that must not compile. */
const typeCarrier = /(\/\*\* )(.+) \((P\d+(?:, P\d+)*)\)\. \*\//g

const isTestFile = (file: string): boolean => /(?:^|\/)(?:test|contracts)\/.+\.ts$/.test(file)

/** Tests by the number of their promise, in the order of their files. */
const testsByNumber = (): ReadonlyMap<string, ReadonlyArray<Test>> => {
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "packages", "examples"],
    {
      cwd: root,
      encoding: "utf8",
      maxBuffer: 16 * 1024 ** 2
    }
  )
  const found = new Map<string, Array<Test>>()
  for (const file of listed.split("\n").filter(isTestFile)) {
    if (!fs.existsSync(path.join(root, file))) continue
    const form = file.endsWith(".types.ts") ? typeCarrier : carrier
    for (const [, , name = "", carried = ""] of fs.readFileSync(path.join(root, file), "utf8").matchAll(form)) {
      for (const number of carried.split(", ")) found.set(number, [...(found.get(number) ?? []), { file, name }])
    }
  }
  return found
}

/** Faults of the page: a promise without a test, and a number in a test's name that no promise has. */
export const faults = (): ReadonlyArray<string> => {
  const promises = sentences()
  const tests = testsByNumber()
  return [
    ...[...promises.keys()].flatMap((number) => (tests.has(number) ? [] : [`${number} has no test`])),
    ...[...tests].flatMap(([number, [first]]) =>
      promises.has(number) ? [] : [`${first?.file} names ${number}, which is no promise`]
    )
  ]
}

/** A promise with its tests, as text; undefined for an unknown number. */
export const render = (number: string): string | undefined => {
  const sentence = sentences().get(number)
  if (sentence === undefined) return undefined
  const lines = (testsByNumber().get(number) ?? []).map(({ file, name }) => `- ${file}: ${name.replaceAll('\\"', '"')}`)
  return `${number}. ${sentence}\n\n${[...new Set(lines)].join("\n")}\n`
}
