/** Checks docs/architecture.md against the sources: its walks follow the imports, and its places to change exist. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), "utf8")
const page = read("docs/architecture.md")

/** The text below a heading, up to the next one. */
const section = (heading: string): string => page.split(`\n${heading}\n`)[1]?.split(/\n##+ /)[0] ?? ""

/** The subjects in the order of the loop; core stands below all of them. */
const loop = ["capture", "distill", "serving"]

const packageOf = (file: string): string => file.split("/")[1] ?? ""

const filesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\d+\. \[([^\]]+)\]\(\.\.\/([^)]+)\)/gm)].map(([, name = "", target = ""]) => {
    assert.strictEqual(name, target)
    return name
  })

/** The files of ours that a file imports, from its own package and from others. */
const importsOf = (file: string): ReadonlyArray<string> =>
  [...read(file).matchAll(/from "(@limbeck\/[^"]+|\.{1,2}\/[^"]+)"/g)].map(([, target = ""]) =>
    target.startsWith("@limbeck/") ? sourceOf(target) : join(dirname(file), target)
  )

/** The source file of a public module, by the `exports` of its package. */
const sourceOf = (name: string): string => {
  const [, owner = "", ...path] = name.split("/")
  const folder = `packages/${owner}`
  const entry = JSON.parse(read(`${folder}/package.json`)).exports[`./${path.join("/")}`]
  return join(folder, entry?.["@limbeck/source"] ?? "")
}

/** One imports the other, or both import one storage port. */
const areNeighbours = (one: string, other: string): boolean =>
  importsOf(one).includes(other) ||
  importsOf(other).includes(one) ||
  importsOf(one).some((target) => target.endsWith("Store.ts") && importsOf(other).includes(target))

const walks = [
  { name: "### A captured call becomes a dataset row", neverBack: true },
  { name: "### A POST body becomes a run row", neverBack: false },
  { name: "### An event becomes a settled delivery", neverBack: false }
]

for (const { name, neverBack } of walks) {
  describe(name.slice(4), () => {
    const files = filesOf(section(name))

    it("walks through files that exist", () => {
      assert.isAbove(files.length, 8)
      for (const file of files) assert.isTrue(existsSync(join(root, file)), file)
    })

    it("is a walk: each file knows one before it, or is known by one", () => {
      for (const [index, file] of files.entries()) {
        if (index === 0) continue
        const before = files.slice(0, index)
        assert.isTrue(
          before.some((other) => areNeighbours(file, other)),
          file
        )
      }
    })

    if (neverBack) {
      it("never goes back in the order of the loop", () => {
        const places = files.map((file) => loop.indexOf(packageOf(file))).filter((place) => place >= 0)
        assert.deepStrictEqual(
          places,
          [...places].sort((a, b) => a - b)
        )
      })
    }
  })
}

describe("where to change what", () => {
  const rows = [...section("## Where to change what").matchAll(/^\| (.+?) +\| `(\w+)` in \[([^\]]+)\]/gm)]

  it("names the four places", () => assert.strictEqual(rows.length, 4))

  for (const [, change = "", word = "", file = ""] of rows) {
    it(`${change}: ${word} is in ${file}`, () => assert.match(read(file), new RegExp(`\\b${word}\\b`)))
  }
})

describe("the table of packages", () => {
  it("has every package", () => {
    const table = [...page.matchAll(/^\| `((?:@limbeck\/)?[\w-]+)`/gm)].map(([, name]) => name)
    const names = Object.keys(JSON.parse(read("package-lock.json")).packages)
      .filter((path) => /^packages\/[\w-]+$/.test(path))
      .map((path) => JSON.parse(read(`${path}/package.json`)).name)
    assert.sameMembers(table, names)
  })
})
