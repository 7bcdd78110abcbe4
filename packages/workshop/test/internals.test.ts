/** docs/internals.md lists each place that relies on the internals of another library. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { publicPackages } from "../packed/Public.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const page = fs.readFileSync(path.join(root, "docs/internals.md"), "utf8")

/** What only a place writes that reaches into another library, and the word of the page for it. */
const marks: ReadonlyArray<readonly [pattern: RegExp, word: string]> = [
  [/\.listeners\("/, "listeners("],
  [/\.destroySoon = /, "destroySoon"],
  [/\._read = /, "_read"],
  [/\.emit\("(?:connection|listening)"/, 'emit("connection"'],
  [/\.prototype\.close\.call/, "net.Server.prototype.close"],
  [/setFlagsFromString\(/, "setFlagsFromString"],
  [/[tT]rainer\._save_checkpoint/, "_save_checkpoint"],
  [/[tT]rainer\._save_rng_state/, "_save_rng_state"],
  [/def _tokenize_prompts/, "_tokenize_prompts"]
]

const sources = execFileSync("git", ["ls-files", "packages/*/src/*.ts", "trainers/*.py"], {
  cwd: root,
  encoding: "utf8"
})
  .split("\n")
  .filter((file) => /^packages\/(?!testing\/|benchmarks\/)|\/limbeck_trainer\//.test(file))

const rows = page.split("\n").filter((line) => line.startsWith("| ") && line.includes("]("))

describe("internals of other libraries", () => {
  it("are listed with the files that rely on them (P1024)", () => {
    const found = new Set<string>()
    for (const file of sources.filter((file) => fs.existsSync(path.join(root, file)))) {
      const text = fs.readFileSync(path.join(root, file), "utf8")
      for (const [pattern, word] of marks) {
        if (!pattern.test(text)) continue
        found.add(word)
        assert.isTrue(
          rows.some((row) => row.includes(word) && row.includes(`](../${file})`)),
          `${file} relies on ${word}`
        )
      }
    }
    assert.sameMembers(
      [...found],
      marks.map(([, word]) => word)
    )
  })

  it("have a range that no minor version leaves (P1024)", () => {
    for (const folder of publicPackages(root)) {
      const manifest = JSON.parse(fs.readFileSync(path.join(root, "packages", folder, "package.json"), "utf8"))
      const all: Record<string, string> = { ...manifest.dependencies, ...manifest.peerDependencies }
      for (const [name, range] of Object.entries(all)) {
        if (name === "effect" || name.startsWith("@effect/")) assert.match(range, /^~?\d/, `${folder}: ${name}`)
      }
    }
  })
})
