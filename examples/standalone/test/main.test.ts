// @effect-diagnostics globalFetch:off
/** The program, started and asked over HTTP. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const token = "svc_live_0123456789abcdefghijklmnopqrstuv"

describe("a server assembled from the library", () => {
  it("answers, and ends when it is asked to", async () => {
    const server = spawn(process.execPath, ["--conditions=@limbeck/source", main], {
      env: { PATH: process.env["PATH"], LIVE_TOKEN: token, PORT: "0" },
      stdio: ["ignore", "pipe", "inherit"]
    })
    const ended = once(server, "exit")
    const [origin] = await once(createInterface({ input: server.stdout }), "line")
    const whoami = await fetch(`${origin}/v1/whoami`, { headers: { authorization: `Bearer ${token}` } })
    assert.deepInclude(await whoami.json(), { object: "whoami", livemode: true })
    server.kill("SIGTERM")
    await ended
    assert.isFalse(
      await fetch(origin).then(
        () => true,
        () => false
      )
    )
  })
})
