/**
 * The page coverage.md: tests by route, and tests by sentence of the specification. Test runs record the first
 * (`RECORD_ROUTES`), people write the second; a check confirms that each test exists.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { contract } from "@limbeck/api/Api"
import * as Context from "effect/Context"
import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import routes from "./routes.json" with { type: "json" }
import specification from "./specification.json" with { type: "json" }

const root = path.resolve(import.meta.dirname, "../../..")
export const page = path.join(root, ".docs/pages/coverage.md")

interface Operation {
  readonly id: string
  readonly name: string
}

interface Sentence {
  readonly section: string
  readonly sentence: string
  readonly tests: ReadonlyArray<string>
  /** Why the sentence has no test yet. */
  readonly open?: string
}

const sentences: ReadonlyArray<Sentence> = specification

/** Of the whole contract, in its order. */
const operations: Array<Operation> = []
HttpApi.reflect(contract.api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, mergedAnnotations }) => {
    const name = `${endpoint.method} ${endpoint.path.replaceAll(/:(\w+)/g, "{$1}")}`
    operations.push({ id: Context.getUnsafe(mergedAnnotations, OpenApi.Identifier), name })
  }
})

const testsOf = (id: string): ReadonlyArray<string> =>
  (routes as Readonly<Record<string, ReadonlyArray<string>>>)[id] ?? []

const sources = new Map<string, string>()

const sourceOf = (file: string): string => {
  const place = path.join(root, file)
  const known = sources.get(file) ?? (fs.existsSync(place) ? fs.readFileSync(place, "utf8") : "")
  sources.set(file, known)
  return known
}

/** `file: name`; the name is a literal in the file. */
const split = (test: string): readonly [file: string, name: string] => {
  const at = test.indexOf(": ")
  return [test.slice(0, at), test.slice(at + 2)]
}

/** Whether a file has a test of this name, ignoring promise numbers. */
export const isThere = (test: string): boolean => {
  const [file, name] = split(test)
  const source = sourceOf(file)
  return [`"${name}`, `'${name}`, `\`${name}`].some((start) => source.includes(start))
}

const missing = (what: string, tests: ReadonlyArray<string>): ReadonlyArray<string> =>
  tests.length === 0
    ? [`${what} has no test`]
    : tests.filter((test) => !isThere(test)).map((test) => `${what}: ${test} is not there`)

/** What is wrong: a route or a sentence without a test, a test that is not there, a record of a route that is none. */
export const faults = (): ReadonlyArray<string> => {
  const known = new Set(operations.map(({ id }) => id))
  return [
    ...operations.flatMap(({ id, name }) => missing(`${name} (${id})`, testsOf(id))),
    ...Object.keys(routes).flatMap((id) => (known.has(id) ? [] : [`routes.json names ${id}, which is no operation`])),
    ...sentences.flatMap((entry) =>
      entry.open === undefined ? missing(`${entry.section} ${entry.sentence}`, entry.tests) : []
    )
  ]
}

const head = `# Coverage

\`npm run docs\` generates this page. \`npm run check:docs\` fails when a route or a sentence has no test, and when a test is missing.

Routes: tests that got a success from the route, as recorded while they ran; refusals do not count. Of many, three of the file that is
most about it. A new route: run its tests with \`RECORD_ROUTES=FILE\`, then \`npm run docs:coverage -- --routes FILE\`.

Specification: each of its sentences in short, and tests that fail when it does not hold, from
\`packages/workshop/promises/specification.json\`.
`

const cell = (text: string): string => text.replaceAll("|", "\\|")

/** A test by its file, without the folders that all have. */
const shown = (test: string): string => {
  const [file, name] = split(test)
  const short = file
    .replace(/^packages\//, "")
    .replace("/test/", "/")
    .replace(/\.test\.ts$/, "")
  return cell(`\`${short}\`: ${name}`)
}

const table = (columns: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const list = (tests: ReadonlyArray<string>): string => tests.map(shown).join("<br>")

export const render = (): string => {
  const byRoute = operations.map(({ id, name }) => [`\`${name}\``, list(testsOf(id))])
  const bySentence = sentences.map((entry) => [
    entry.section,
    cell(entry.sentence),
    entry.open === undefined ? list(entry.tests) : `**Open:** ${entry.open}`
  ])
  return `${head}
## Routes

${table(["route", "tests"], byRoute)}

## Specification

${table(["section", "sentence", "tests"], bySentence)}
`
}
