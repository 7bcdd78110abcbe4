import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { faultsOf, publicModulesMax } from "../public/Faults.ts"
import { type Module, modulesOf, unknownNames } from "../public/Modules.ts"
import { usesIn } from "../public/Uses.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

const module = (isPublic: boolean, about: string): Module => ({
  specifier: "@limbeck/core/A",
  folder: "core",
  source: "packages/core/src/A.ts",
  isPublic,
  about
})
const used = (file: string) => ({ specifier: "@limbeck/core/A", file })

describe("the public modules", () => {
  it("are documented, the only ones that users are shown, and about a hundred (P1023)", () => {
    assert.deepStrictEqual(faultsOf(modulesOf(root), usesIn(root), unknownNames(root)), [])
  })

  it("are refused without a comment at the head (P1023)", () => {
    const faults = faultsOf([module(true, "")], [], [])
    assert.deepStrictEqual(faults, ["@limbeck/core/A is public, and packages/core/src/A.ts has no comment at its head"])
  })

  it("have every module that a page or an example shows (P1023)", () => {
    for (const file of [
      "README.md",
      "docs/mounts/README.md",
      "examples/receiver/src/main.ts",
      "packages/api/README.md"
    ]) {
      const faults = faultsOf([module(false, "")], [used(file)], [])
      assert.deepStrictEqual(faults, [`${file} shows @limbeck/core/A, which is not in publicModules`])
    }
    assert.deepStrictEqual(faultsOf([module(false, "")], [used("packages/api/src/B.ts")], []), [])
  })

  it("leave no export that nothing imports (P1023)", () => {
    const faults = faultsOf([module(false, "")], [used("packages/core/src/B.ts")], [])
    assert.deepStrictEqual(faults, ["@limbeck/core/A is exported, and nothing imports it: close it"])
  })

  it("are exported, and no more than may be (P1023)", () => {
    assert.lengthOf(faultsOf([], [], ["@limbeck/core/B"]), 1)
    const many = Array.from({ length: publicModulesMax + 1 }, () => module(true, "A."))
    assert.deepStrictEqual(faultsOf(many, [], []), [`${many.length} modules are public; ${publicModulesMax} may be`])
  })
})
