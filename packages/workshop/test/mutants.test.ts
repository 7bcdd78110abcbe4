import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { mutants } from "../mutants/all.ts"
import { mistaken } from "../mutants/Mutant.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const testsOf = (project: string): ReadonlyArray<string> =>
  readdirSync(join(root, "packages", project, "test"), { encoding: "utf8", recursive: true })

describe("a mutant", () => {
  for (const mutant of mutants) {
    it(`can still be made: ${mutant.name}`, () => {
      assert.isNotNull(mistaken(readFileSync(join(root, mutant.file), "utf8"), mutant))
    })
  }

  it("has a name of its own", () => {
    const names = mutants.map(({ name }) => name)
    assert.strictEqual(new Set(names).size, names.length)
  })

  it("is caught by tests that are there", () => {
    for (const { name, tests } of mutants) {
      const [, project = "", ...words] = tests
      const files = words.slice(0, words.includes("-t") ? words.indexOf("-t") : undefined)
      for (const word of files)
        assert.isTrue(
          testsOf(project).some((file) => file.includes(word)),
          `${name}: ${word}`
        )
    }
  })
})
