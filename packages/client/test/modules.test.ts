/** The package stands alone: it runs wherever Web Crypto is. */
import { globSync, readFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { assert, describe, it } from "vitest"
import manifest from "../package.json" with { type: "json" }

const source = new URL("../src/", import.meta.url)
const files = globSync("**/*.ts", { cwd: source })

const scriptOf = (file: string) => stripTypeScriptTypes(readFileSync(new URL(file, source), "utf8"))

/** What a module imports, or exports from elsewhere, in whatever form. */
const importsOf = (script: string) =>
  [...script.matchAll(/(?:\bfrom|\bimport|\brequire)\s*\(?\s*["']([^"']+)["']/g)].map(([, from]) => from ?? "")

describe("the package", () => {
  it("imports nothing but itself, in any of its modules but the one for Effect (P45)", () => {
    assert.includeMembers(
      files,
      ["fastify", "fetch", "node", "internal/receiver", "verify"].map((name) => `webhooks/${name}.ts`)
    )
    for (const file of files) {
      // The entry for programs with Effect, which no other module may import.
      if (file === "effect.ts") continue
      for (const from of importsOf(scriptOf(file))) {
        assert.match(from, /^\.{1,2}\/(?!effect)[\w/]+\.ts$/, file)
        assert.isTrue(new URL(from, new URL(file, source)).href.startsWith(source.href), `${file} imports ${from}`)
      }
    }
    assert.isNotEmpty(importsOf(scriptOf("webhooks/fetch.ts")))
  })

  it("asks for no other package, and for Effect where a program has it (P388)", () => {
    assert.notInclude(Object.keys(manifest), "dependencies")
    assert.deepStrictEqual(Object.keys(manifest.peerDependencies), ["effect"])
    assert.deepStrictEqual(manifest.peerDependenciesMeta, { effect: { optional: true } })
  })
})
