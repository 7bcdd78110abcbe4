/** Where contents are kept: in a folder beside the embedded database, and wherever they were before. */
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, rows } from "./Api.ts"
import { usedFolder } from "./DataFolder.ts"
import { quiet, Server } from "./Server.ts"

/** Files of contents below the folder. */
const contentsIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && entry.parentPath.includes("/content/")
  ).length

describe.concurrent("contents", () => {
  it("lie beside the embedded database, over restarts", async ({ onTestFinished }) => {
    const DATA_DIR = await usedFolder(onTestFinished)
    const server = await new Server(onTestFinished, { ...quiet, STORAGE: "embedded", DATA_DIR }).start()
    const api = new Api(server)
    const upload = await api.upload(rows(10))
    await api.uploaded(upload)
    assert.strictEqual(contentsIn(join(DATA_DIR, "blobs")), 1)
    await server.stop()
    await server.start()
    assert.deepInclude(await api.built(await api.build(upload)), { status: "ready", rows: 10 })
  })

  it("that a database has from before are read there, when new ones go to a folder (P86)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const settings = {
      ...quiet,
      DATA_DIR: join(folder, "data"),
      DATABASE_URL: await freshDatabase(onTestFinished),
      ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64")
    }
    const before = await new Server(onTestFinished, settings).start()
    const old = await new Api(before).upload(rows(10))
    await new Api(before).uploaded(old)
    await before.stop()

    const BLOBS_DIR = join(folder, "blobs")
    const api = new Api(await new Server(onTestFinished, { ...settings, BLOBS_DIR }).start())
    assert.strictEqual(contentsIn(BLOBS_DIR), 0)
    assert.deepInclude(await api.built(await api.build(old)), { status: "ready", rows: 10 })
    const fresh = await api.upload(rows(20))
    await api.uploaded(fresh)
    assert.strictEqual(contentsIn(BLOBS_DIR), 1)
    assert.deepInclude(await api.built(await api.build(fresh)), { status: "ready", rows: 20 })
  })
})
