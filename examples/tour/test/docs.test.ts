import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { settingNames } from "../../../packages/cli/src/serve/SettingNames.ts"
import * as Promises from "../../../packages/workshop/promises/Promises.ts"
import { diagrams, withDiagrams } from "./Diagrams.ts"
import * as SettingTables from "./SettingTables.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (file: string): string => readFileSync(join(root, file), "utf8")

describe("docs", () => {
  for (const file of new Set(diagrams.map((diagram) => diagram.file))) {
    it(`${file} shows the lives that the tables say`, () =>
      assert.strictEqual(read(file), withDiagrams(file, read(file))))
  }

  it("every promise has a test that carries its number, and every number a promise", () =>
    assert.deepStrictEqual(Promises.faults(), []))

  it(`${SettingTables.page} shows the settings that the tables say; npm run docs:tables writes it (P1041)`, () =>
    assert.strictEqual(read(SettingTables.page), SettingTables.withTables(read(SettingTables.page))))

  it("every variable in configuration.md is a setting of the standalone server", () => {
    const shown = read("docs/configuration.md").matchAll(/`([A-Z]{4,}(?:_[A-Z]+)*|[A-Z]+(?:_[A-Z]+)+)`/g)
    assert.sameMembers([...new Set([...shown].map(([, name = ""]) => name))], [...settingNames])
  })

  it("the verifier in webhooks.md is the one of the tour", () => {
    const [, section = ""] = read("docs/webhooks.md").split("## Verify what you receive")
    const [, shown = ""] = /```ts\n(.*?)```/s.exec(section) ?? []
    assert.isNotEmpty(shown)
    assert.include(read("examples/tour/src/Receiver.ts"), shown)
  })

  const docs = readdirSync(join(root, "docs"), { encoding: "utf8", recursive: true })
  const pages = docs.filter((name) => name.endsWith(".md")).map((name) => join("docs", name))
  for (const page of ["README.md", "CONTRIBUTING.md", ...pages]) {
    it(`every file that ${page} links to is there`, () => {
      for (const [, target = ""] of read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)) {
        assert.isTrue(existsSync(join(root, dirname(page), target)), target)
      }
    })
  }
})
