/**
 * What docs/promises.md says. A promise's sentence stands in promises.json; its tests are those whose names end with its number,
 * such as "a key is free after a crash (P2)".
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import sections from "./promises.json" with { type: "json" }

const root = path.resolve(import.meta.dirname, "../../..")
export const page = path.join(root, "docs/promises.md")

interface Test {
  readonly file: string
  readonly name: string
}

const numbers = Object.assign({}, ...sections.map(({ promises }) => promises)) as Readonly<Record<string, string>>

/** The name of a test that carries numbers, as a literal in a source. */
const carrier = /(["'`])((?:(?!\1)[^\n\\]|\\.)+) \((P\d+(?:, P\d+)*)\)\1/g

/** The same, of a promise that the compiler keeps: the comment above what does not compile. */
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

/** What is wrong: a promise without a test, or a number that no promise has. */
export const faults = (): ReadonlyArray<string> => {
  const tests = testsByNumber()
  return [
    ...Object.keys(numbers).flatMap((number) => (tests.has(number) ? [] : [`${number} has no test`])),
    ...[...tests].flatMap(([number, [first]]) =>
      number in numbers ? [] : [`${first?.file} names ${number}, which is no promise`]
    )
  ]
}

const head = `# Promises

What Limbeck promises, and the tests that fail when a promise is broken. \`npm run docs\` generates this page: the sentences come from
\`packages/testing/promises/promises.json\`, the tests are found by the number in their names. Cases in \`packages/testing/src/contracts\` run
on every storage; the others run once.
`

export const render = (): string => {
  const tests = testsByNumber()
  const lineOf = ({ file, name }: Test) => `- \`${file}\`: ${name.replaceAll('\\"', '"')}`
  const promiseOf = ([number, sentence]: readonly [string, string]) =>
    `**${number}.** ${sentence}\n\n${[...new Set((tests.get(number) ?? []).map(lineOf))].join("\n")}\n`
  const sectionOf = ({ promises, section }: (typeof sections)[number]) =>
    `## ${section}\n\n${Object.entries<string>(promises as Readonly<Record<string, string>>)
      .map(promiseOf)
      .join("\n")}`
  return `${head}\n${sections.map(sectionOf).join("\n")}`
}
