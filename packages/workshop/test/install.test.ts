/** What `npm ci` runs and sends while it installs this repository. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"

const root = path.resolve(import.meta.dirname, "../../..")
const read = (file: string) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"))

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>
}

describe("an installation of the repository", () => {
  it("has no install script but those that package.json allows or refuses by name (P948)", () => {
    const { packages }: Lock = read("package-lock.json")
    const { allowScripts }: { readonly allowScripts: Readonly<Record<string, boolean>> } = read("package.json")
    const scripted = Object.entries(packages).flatMap(([place, { hasInstallScript = false }]) =>
      hasInstallScript ? [place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length)] : []
    )
    assert.isNotEmpty(scripted)
    for (const name of scripted) assert.property(allowScripts, name)
  })

  it("sends no usage statistics (P948)", () => {
    const { packages }: Lock = read("package-lock.json")
    assert.notInclude(Object.keys(packages).join("\n"), "scarf")
  })
})
