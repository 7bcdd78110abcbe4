/** The program's message on an old Node. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../package.json" with { type: "json" }
import { refusalOf } from "../src/NodeVersion.ts"

const fileOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** Fails if another module is loaded before the version check. */
const runOn = async (version: string, ...command: ReadonlyArray<string>) => {
  const argv = ["--import", fileOf("fixtures/OldNode.mjs"), fileOf("../src/main.ts"), ...command]
  const child = spawn(process.execPath, argv, { env: { NODE_VERSION_SAID: version } })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")])
  return { code, stdout, stderr }
}

describe("a Node that is too old", () => {
  it.each([["doctor"], ["init"], ["--version"], ["serve"]])(
    "is named by %s, before anything is loaded (P850)",
    async (command) => {
      const { code, stderr, stdout } = await runOn("20.11.1", command)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.strictEqual(stderr, "limbeck needs Node 22.19.0 or later; this is Node 20.11.1\n")
    }
  )

  it("is named as JSON with --json (P850)", async () => {
    const { code, stderr } = await runOn("18.0.0", "token", "list", "--json")
    assert.strictEqual(code, 2)
    assert.strictEqual(JSON.parse(stderr).error.code, "node_version")
  })

  it("is one before that of package.json", () => {
    assert.strictEqual(manifest.engines.node, ">=22.19.0")
    for (const old of ["18.20.4", "20.20.2", "22.18.9", "22.9.0"]) assert.isString(refusalOf(old))
    for (const good of ["22.19.0", "22.19.1", "22.20.0", "24.0.0", "24.0.0-nightly", "100.1.2"])
      assert.isUndefined(refusalOf(good))
  })
})
