import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, it } from "@effect/vitest"
import { Pools } from "@limbeck/core/pools/Pools"

const root = path.resolve(import.meta.dirname, "../../../..")
const textOf = (file: string) => fs.readFileSync(path.join(root, file), "utf8")

it("the documentation has one row for each pool, with its size (P822)", () => {
  const rows = [...textOf("docs/operate/pools.md").matchAll(/^\| `(\w+)` +\| (\d+) /gm)]
  assert.deepStrictEqual(
    rows.map(([, name, size]) => [name, Number(size)]),
    Object.entries(Pools).map(([name, { size }]) => [name, size])
  )
})

it("every worker and every line of waiting fibers has its pool in the table, and each pool is used (P822)", () => {
  const sources = execFileSync("git", ["ls-files", "packages/*/src/*.ts"], { cwd: root, encoding: "utf8" })
    .split("\n")
    .filter((file) => file !== "" && fs.existsSync(path.join(root, file)))
    .map((file) => [file, textOf(file)] as const)
  const uses = sources.flatMap(([, text]) => [...text.matchAll(/\bPools\.(\w+)/g)].map(([, name]) => name))
  assert.includeMembers(uses, Object.keys(Pools))
  for (const [file, text] of sources) {
    // A semaphore locks a single thing; several slots need shares.
    for (const [, permits] of text.matchAll(/Semaphore\.make(?:Unsafe)?\(([^)]*)\)/g)) {
      assert.strictEqual(permits, "1", file)
    }
    const isTable = file.endsWith("pools/Pools.ts")
    if (!isTable) assert.notMatch(text, /\bslots\(\d/, `${file}: a pool beside the table`)
  }
})
