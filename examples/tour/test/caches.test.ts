/** docs/caches.md against the sources. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const page = readFileSync(join(root, "docs/caches.md"), "utf8")

const packages = readdirSync(join(root, "packages")).filter((name) => existsSync(join(root, "packages", name, "src")))
const files = packages.flatMap((name) =>
  readdirSync(join(root, "packages", name, "src"), { encoding: "utf8", recursive: true })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => ({
      name: `${name}/${file.replace(/\.tsx?$/, "")}`,
      path: join(root, "packages", name, "src", file)
    }))
)

/** How a source makes a cache of each kind. */
const kinds = {
  BoundedCache: /new BoundedCache[<(]/g,
  Recent: /\bRecent\.make[<(]/g,
  Cache: /(?<!\w)Cache\.make(?:With)?\(/g,
  WeakMap: /new WeakMap[<(]/g
} as const

const made = files.flatMap(({ name, path }) => {
  const text = readFileSync(path, "utf8")
  return Object.entries(kinds).flatMap(([kind, pattern]) => (text.match(pattern) === null ? [] : [`${name} ${kind}`]))
})

const rows = [...page.matchAll(/^\| ([\w/-]+) +\| `(\w+)` +\|/gm)].map(([, name, kind]) => `${name} ${kind}`)
const [, list = ""] = page.split("`WeakMap`s that are no caches")
const notes = [...list.matchAll(/`([\w/-]+)`/g)].map(([, name]) => `${name} WeakMap`)

describe("the page of caches", () => {
  it("has a row for each cache in the sources, and no other (P1043)", () => {
    assert.isAbove(made.length, 20)
    assert.sameMembers([...rows, ...notes], made)
  })
})
