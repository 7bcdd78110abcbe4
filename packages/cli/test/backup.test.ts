/** Backups by docs/operate: a server on the restored data has everything. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Database from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Tools from "@limbeck/testing/Tools"
import pg from "pg"
import { Api, rows } from "./Api.ts"
import { Receiver } from "./Receiver.ts"
import { quiet, Server } from "./Server.ts"
import * as SystemPostgres from "./SystemPostgres.ts"
import { delivered, missing, Traffic } from "./Traffic.ts"
import { upstream } from "./Upstream.ts"

const endpoint = { url: "https://receiver.example/hook", enabled_events: ["*"] }

describe("a backup of the data folder", () => {
  it("restored in another place has every row, event and secret (P270)", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const [data, file] = [path.join(folder, "limbeck"), path.join(folder, "limbeck.tar")]
    const elsewhere = path.join(folder, "elsewhere")
    const serverOn = (DATA_DIR: string) => new Server(onTestFinished, { ...quiet, STORAGE: "embedded", DATA_DIR })
    const before = await serverOn(data).start()
    const api = new Api(before)
    const upload = await api.upload(rows(50))
    await api.uploaded(upload)
    const version = await api.built(await api.build(upload))
    const made = await api.call("POST", "/v1/webhook_endpoints", { body: endpoint, key: "backup" })
    const events = await api.events()
    assert.strictEqual((await before.stop()).code, 0)

    // With owners and modes, which Postgres insists on.
    execFileSync("tar", ["-C", folder, "-cpf", file, "limbeck"])
    await fs.rm(data, { recursive: true })
    await fs.mkdir(elsewhere, { mode: 0o755 })
    execFileSync("tar", ["-C", elsewhere, "-xpf", file])

    const after = new Api(await serverOn(path.join(elsewhere, "limbeck")).start())
    assert.deepStrictEqual(await after.get(`/v1/distill/dataset_versions/${version.id}`), version)
    const text = await after.text(`/v1/distill/dataset_versions/${version.id}/export`)
    assert.lengthOf(text.trimEnd().split("\n"), 50)
    assert.deepStrictEqual(await after.events(), events)
    // The stored response holds a secret: its replay proves that the backup includes the key.
    const again = await after.call("POST", "/v1/webhook_endpoints", { body: endpoint, key: "backup" })
    assert.deepStrictEqual([again.headers.get("idempotent-replayed"), again.text], ["true", made.text])
  })
})

/** The script of docs/operate with the given word, which stops at its first failure. */
const scriptWith = async (word: string): Promise<string> => {
  const page = await fs.readFile(new URL("../../../docs/operate/README.md", import.meta.url), "utf8")
  const found = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].filter(([, text = ""]) => text.includes(word))
  assert.lengthOf(found, 1, word)
  return `set -e\n${found[0]?.[1]}`
}

/** Locks captured calls against writes until released: records wait in the journal. */
const holdCalls = async (DATABASE_URL: string) => {
  const client = new pg.Client({ connectionString: DATABASE_URL })
  await client.connect()
  await client.query("BEGIN; LOCK TABLE limbeck.calls IN EXCLUSIVE MODE")
  return () => client.end()
}

const programs = SystemPostgres.programsFolder
const isHere = Tools.has("Postgres with pg_dump", "a backup of a Postgres of one's own", programs !== undefined)

describe.skipIf(!isHere)("a dump", () => {
  it("made under load and restored elsewhere lacks nothing that was acknowledged before (P346)", async ({
    onTestFinished
  }) => {
    const url = await SystemPostgres.start(onTestFinished, programs ?? "")
    await Database.execute("CREATE DATABASE elsewhere", url)
    const folder = await temporaryFolder(onTestFinished)
    const ENCRYPTION_KEY = Buffer.alloc(32, 5).toString("base64")
    const placeOf = async (name: string, DATABASE_URL: string) => {
      const [DATA_DIR, BLOBS_DIR] = [path.join(folder, name), path.join(folder, `${name}-blobs`)]
      await Promise.all([fs.mkdir(DATA_DIR), fs.mkdir(BLOBS_DIR)])
      return { DATABASE_URL, DATA_DIR, BLOBS_DIR }
    }
    const here = await placeOf("here", url)
    const there = await placeOf("there", url.replace("///postgres?", "///elsewhere?"))
    const serverOn = (place: typeof here) => new Server(onTestFinished, { ...quiet, ...place, ENCRYPTION_KEY })
    // The load, its model and its receiver are in this process, and go on meanwhile.
    const run = async (script: string, place: typeof here) => {
      const env = { ...place, PATH: `${programs}:${process.env["PATH"]}` }
      const shell = spawn("/bin/sh", ["-c", script], { cwd: folder, env, stdio: "inherit" })
      assert.deepStrictEqual(await once(shell, "exit"), [0, null])
    }

    const server = await serverOn(here).start()
    const api = new Api(server)
    const { base_url } = await upstream(onTestFinished)
    await api.create("/v1/sources", { name: "model", kind: "byok", base_url, api_key: "sk", default: true })
    const plan = await api.plan()
    const receiver = new Receiver(() => ({ status: 200, delayMillis: 0 }))
    const endpoint = await receiver.subscribe(onTestFinished, api)
    const traffic = new Traffic([api], plan)
    await traffic.grown()
    const release = await holdCalls(url)
    await traffic.grown()
    const [acknowledged, events] = [traffic.acknowledged, await api.events()]
    await run(await scriptWith("pg_dump"), here)
    await release()
    await traffic.grown()
    await traffic.stop()
    assert.deepStrictEqual(traffic.failures, [])
    await server.kill()

    await run(await scriptWith("pg_restore"), there)
    const restored = new Api(await serverOn(there).start())
    assert.deepStrictEqual(await missing(restored, acknowledged), [])
    const known = new Set((await restored.events()).map(({ id }) => id))
    assert.deepStrictEqual(
      events.filter(({ id }) => !known.has(id)),
      []
    )
    const told = await delivered(restored, endpoint)
    assert.isTrue(told.every((event) => receiver.has(event)))
    receiver.assertGenuine()
  })
})
