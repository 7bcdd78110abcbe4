import { spawn } from "node:child_process"
import { once } from "node:events"
import { get } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"
import { quiet } from "./Server.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

it("npm start hands a SIGTERM on: the server ends in order, and no process stays behind", async () => {
  const npm = spawn("npm", ["start"], { cwd: root, env: { ...process.env, ...quiet, STORAGE: "memory", PORT: "0" } })
  const origin = await new Promise<string>((resolve) => {
    createInterface({ input: npm.stdout }).on("line", (line) => {
      const said = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
      if (said !== undefined) resolve(said)
    })
  })
  const ended = once(npm, "exit")
  npm.kill("SIGTERM")
  assert.deepStrictEqual(await ended, [0, null])
  const asked = get(`${origin}/healthz`)
  const [error] = await once(asked, "error")
  assert.strictEqual(error.code, "ECONNREFUSED")
})
