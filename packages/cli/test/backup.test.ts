/** A backup of the data folder, as docs/operate says: a server on the restored copy has everything. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, rows } from "./Api.ts"
import { quiet, Server } from "./Server.ts"

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
    // The stored answer holds a secret: its replay proves that the key came along, and opens it.
    const again = await after.call("POST", "/v1/webhook_endpoints", { body: endpoint, key: "backup" })
    assert.deepStrictEqual([again.headers.get("idempotent-replayed"), again.text], ["true", made.text])
  })
})
