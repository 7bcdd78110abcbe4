/** The webhook engine runs without capture, distill and serving: these are optional peers of its dependencies. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const home = fileURLToPath(new URL("..", import.meta.url))

/** Node, without the three subjects. */
const hook = `
import { registerHooks } from "node:module"
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    if (/\\/packages\\/(capture|distill|serving)\\//.test(resolved.url)) throw new Error("Not installed: " + specifier)
    return resolved
  }
})`

const load = (entry: string) => {
  const without = `data:text/javascript,${encodeURIComponent(hook)}`
  const flags = ["--conditions=@limbeck/source", "--import", without, "--input-type=module", "--eval"]
  return spawnSync(process.execPath, [...flags, `await import("${entry}")`], { cwd: home, encoding: "utf8" })
}

describe("without capture, distill and serving (P136)", () => {
  it.each([
    "@limbeck/webhooks-host/Webhooks",
    "@limbeck/storage-postgres/WebhookStorage",
    "@limbeck/storage-memory/WebhookStorage"
  ])("%s loads", (entry) => {
    const { status, stderr } = load(entry)
    assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
  })

  it("the whole library does not load: they are missing (P136)", () => {
    const { status, stderr } = load("@limbeck/limbeck/Limbeck")
    assert.strictEqual(status, 1)
    assert.include(stderr, "Not installed: @limbeck/")
  })
})
