// @effect-diagnostics globalFetch:off
/** A host in plain Node, spoken to by a client in plain Node. */
import { type ChildProcess, spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
const readme = new URL("../../../README.md", import.meta.url)

/** Below the ports of outgoing connections, so that none takes it before the host. */
const freePort = async (): Promise<number> => {
  const port = randomInt(10_000, 30_000)
  const server = createServer().listen(port, "127.0.0.1")
  const isFree = await once(server, "listening").then(
    () => true,
    () => false
  )
  if (!isFree) return freePort()
  server.close()
  await once(server, "close")
  return port
}

const start = (environment: Readonly<Record<string, string>>): ChildProcess =>
  spawn(process.execPath, ["--conditions=@limbeck/source", main], {
    env: { PATH: process.env["PATH"], ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** Reads lines until `wanted` accepts one. */
const lineOf = async (stream: NodeJS.ReadableStream | null, wanted: (line: string) => boolean): Promise<string> => {
  assert.isNotNull(stream)
  for await (const line of createInterface({ input: stream })) if (wanted(line)) return line
  return ""
}

describe("limbeck in a node:http server", () => {
  let host: ChildProcess
  let origin: string
  let headers: Record<string, string>

  beforeAll(async () => {
    const port = await freePort()
    host = start({ PORT: String(port), ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") })
    origin = `http://127.0.0.1:${port}`
    const { testToken } = JSON.parse(await lineOf(host.stdout, (line) => line.startsWith("{")))
    headers = { authorization: `Bearer ${testToken}`, "content-type": "application/json", "idempotency-key": "1" }
  })

  afterAll(() => void host.kill("SIGKILL"))

  it("answers below its path, and leaves the rest to the host", async () => {
    const whoami = await fetch(`${origin}/limbeck/v1/whoami`, { headers })
    assert.deepInclude(await whoami.json(), { object: "whoami", livemode: false })
    assert.strictEqual(await (await fetch(`${origin}/`)).text(), "Your own application\n")
  })

  it("gives out URLs that lead through the host", async () => {
    const body = JSON.stringify({ filename: "rows.jsonl", format: "chat_jsonl" })
    const created = await fetch(`${origin}/limbeck/v1/distill/uploads`, { method: "POST", headers, body })
    assert.strictEqual(created.status, 201)
    const { upload_url } = JSON.parse(await created.text())
    const row = '{"messages":[{"role":"user","content":"hello"}],"completion":"greeting"}\n'
    assert.strictEqual((await fetch(upload_url, { method: "PUT", body: row })).status, 202)
  })

  it("ends in peace when the host does", async () => {
    host.kill("SIGTERM")
    assert.deepStrictEqual(await once(host, "exit"), [0, null])
  })
})

describe("a host without an encryption key", () => {
  it("is told so, and does not start", async () => {
    const host = start({})
    const told = lineOf(host.stderr, (line) => line.startsWith("InvalidSetting:"))
    const [said, [code]] = await Promise.all([told, once(host, "exit")])
    assert.include(said, "the environment variable ENCRYPTION_KEY must be set. To make a key, run: node -p ")
    assert.strictEqual(code, 1)
  })
})

describe("README", () => {
  it("shows this very program", () => {
    assert.include(readFileSync(readme, "utf8"), `\`\`\`ts\n${readFileSync(main, "utf8")}\`\`\``)
  })
})
