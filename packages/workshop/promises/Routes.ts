/**
 * Builds routes.json from recorded tests: for each operation, tests of the file most about it, and among them those with
 * the fewest other operations.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { isThere } from "./Coverage.ts"

interface Line {
  readonly operation: string
  readonly file: string
  readonly test: string
}

const place = path.join(import.meta.dirname, "routes.json")

/** As many as a reader wants to see. */
const shownMax = 3

const read = (file: string): ReadonlyArray<Line> =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const nameOf = ({ file, test }: Line): string => `${file}: ${test.replace(/ \(P\d+(?:, P\d+)*\)$/, "")}`

const grouped = <A>(items: ReadonlyArray<A>, key: (item: A) => string, value: (item: A) => string) => {
  const groups = new Map<string, Set<string>>()
  for (const item of items) groups.set(key(item), (groups.get(key(item)) ?? new Set()).add(value(item)))
  return groups
}

const fileOf = (test: string): string => test.slice(0, test.indexOf(": "))

/** Records of other operations stay. Skips computed names, as from `it.each`. */
export const merge = (file: string): void => {
  const lines = read(file).filter((line) => isThere(nameOf(line)))
  const asked = grouped(lines, nameOf, ({ operation }) => operation)
  const before = fs.existsSync(place) ? JSON.parse(fs.readFileSync(place, "utf8")) : {}
  const inFile = grouped(
    lines,
    ({ file }) => file,
    (line) => `${line.operation} ${line.test}`
  )
  const sizeOf = (test: string) => asked.get(test)?.size ?? 0
  for (const [operation, tests] of grouped(lines, ({ operation }) => operation, nameOf)) {
    const all = [...tests]
    /** The operation's share of a file's requests. */
    const shareOf = (test: string) =>
      all.filter((other) => fileOf(other) === fileOf(test)).length / (inFile.get(fileOf(test))?.size ?? 1)
    const order = (a: string, b: string) => shareOf(b) - shareOf(a) || sizeOf(a) - sizeOf(b) || (a < b ? -1 : 1)
    before[operation] = all.sort(order).slice(0, shownMax)
  }
  const sorted = Object.entries(before).sort(([a], [b]) => (a < b ? -1 : 1))
  fs.writeFileSync(place, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
}
