/** Files of the server and its trainers are private to their user, regardless of the umask. */
import { chmodSync, type Dirent, lstatSync, mkdirSync, readdirSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, rows } from "./Api.ts"
import { type Environment, liveToken, quiet, Server, testToken } from "./Server.ts"

const trainer = fileURLToPath(new URL("../../executors/test/process/reference-trainer.mjs", import.meta.url))

const open = "import { isMainThread } from 'node:worker_threads'; if (isMainThread) process.umask(0)"

/** Starts with a umask of 0. */
const withoutUmask: Environment = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(open)}` }

/** Undefined: a trainer took it away meanwhile. */
const modeOf = (name: string): string | undefined => {
  const mode = lstatSync(name, { throwIfNoEntry: false })?.mode
  return mode === undefined ? undefined : (mode & 0o777).toString(8)
}

/** Read again when a trainer took a folder away meanwhile. */
const entriesBelow = (folder: string): ReadonlyArray<Dirent> => {
  for (;;) {
    try {
      return readdirSync(folder, { recursive: true, withFileTypes: true })
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
    }
  }
}

/** Below the folder, what more than the owner may use; and all names. */
const below = (folder: string) => {
  const entries = entriesBelow(folder)
  const names = entries.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
  const shared = entries
    .filter((entry) => !entry.isSymbolicLink())
    .map((entry) => ({ name: join(entry.parentPath, entry.name), mode: modeOf(join(entry.parentPath, entry.name)) }))
    .filter(({ mode = "0" }) => Number.parseInt(mode, 8) & 0o077)
    .map(({ mode, name }) => `${relative(folder, name)} ${mode}`)
  return { names, shared }
}

const start = (atEnd: AtEnd, DATA_DIR: string, more: Environment = {}) =>
  new Server(atEnd, {
    ...more,
    ...quiet,
    ...withoutUmask,
    STORAGE: "embedded",
    DATA_DIR,
    TRAINER_COMMAND: `"${process.execPath}" "${trainer}"`
  }).start()

/** Makes the server write all its kinds of files: contents, the journal, the database, and a trainer's files. */
const useAll = async (server: Server) => {
  const test = new Api(server, testToken)
  await test.create("/v1/sources", { name: "none", kind: "byok", base_url: "http://127.0.0.1:9/v1", default: true })
  await test.call("POST", "/v1/proxy/chat/completions", { body: { model: "gpt", messages: [] } })
  const api = new Api(server, liveToken)
  await api.uploaded(await api.upload(rows(10)))
  const stages = [
    { kind: "sft", config: {} },
    { kind: "eval", config: { rewards: [] } },
    { kind: "publish", config: {} }
  ]
  const recipe = { student_model: "Qwen/Qwen3-0.6B", stages, rewards: [] }
  const plan = { ...((await api.plan()) as object), dry_run: false, recipe }
  const [run] = await api.whenOver(await api.runs(plan, 1))
  assert.strictEqual(run?.status, "succeeded")
}

describe.concurrent("files with umask 000", () => {
  it("are their owner's alone, and so is a data folder that is made (P125)", async ({ onTestFinished }) => {
    const folder = join(await temporaryFolder(onTestFinished), "data")
    await useAll(await start(onTestFinished, folder))
    const { names, shared } = below(folder)
    assert.strictEqual(modeOf(folder), "700")
    assert.deepStrictEqual(shared, [])
    for (const part of [/^blobs\/.*content/, /^journal\/.+\/./, /^postgres\/claims\//, /^trainers\/.*input\.json$/]) {
      assert.isTrue(
        names.some((name) => part.test(name)),
        String(part)
      )
    }
  })

  it("are their owner's alone in folders outside the data folder, too (P125)", async ({ onTestFinished }) => {
    const outside = join(await temporaryFolder(onTestFinished), "mnt")
    const [BLOBS_DIR, JOURNAL_DIR] = [join(outside, "contents"), join(outside, "calls")]
    const DATA_DIR = await temporaryFolder(onTestFinished)
    const api = new Api(await start(onTestFinished, DATA_DIR, { BLOBS_DIR, JOURNAL_DIR }), testToken)
    await api.create("/v1/sources", { name: "none", kind: "byok", base_url: "http://127.0.0.1:9/v1", default: true })
    await api.call("POST", "/v1/proxy/chat/completions", { body: { model: "gpt", messages: [] } })
    await api.uploaded(await api.upload(rows(10)))
    const { names, shared } = below(outside)
    assert.deepStrictEqual([modeOf(outside), modeOf(BLOBS_DIR), modeOf(JOURNAL_DIR)], ["700", "700", "700"])
    assert.deepStrictEqual(shared, [])
    for (const part of [/^contents\/.*content/, /^calls\/.+\/./]) {
      assert.isTrue(
        names.some((name) => part.test(name)),
        String(part)
      )
    }
  })

  it("of a data folder that was open before are closed to others in the folders of the server (P125)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    chmodSync(folder, 0o755)
    const inner = ["blobs", "journal", "postgres", "trainers"]
    for (const name of inner) {
      mkdirSync(join(folder, name))
      chmodSync(join(folder, name), 0o777)
    }
    await start(onTestFinished, folder)
    assert.strictEqual(modeOf(folder), "755")
    assert.deepStrictEqual(
      inner.map((name) => modeOf(join(folder, name))),
      inner.map(() => "700")
    )
    assert.strictEqual(modeOf(join(folder, "encryption-key")), "600")
  })
})
