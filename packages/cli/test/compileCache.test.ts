/** The cache of compiled modules: its owner and mode, and its use by a second start. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { folderOf } from "../src/CompileCache.ts"
import { runIn } from "./ProgramIn.ts"
import { quiet, Server } from "./Server.ts"

const uid = process.geteuid?.()

/** A home whose program has no cache of the test run's, and lets Node print what it takes from the cache. */
const environmentOf = (HOME: string) => ({
  HOME,
  XDG_CACHE_HOME: "",
  NODE_COMPILE_CACHE: "",
  NODE_DEBUG_NATIVE: "COMPILE_CACHE"
})

/** How many modules of the program a command took from the cache. */
const acceptedIn = async (folder: string, environment: Readonly<Record<string, string>>): Promise<number> => {
  const { code, stderr, stdout } = await runIn(folder, ["--version"], { environment })
  assert.strictEqual(code, 0)
  return `${stdout}${stderr}`.split("\n").filter((line) => / was accepted/.test(line)).length
}

const cacheIn = (home: string) => path.join(home, ".cache", "limbeck")

const filesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await fs.readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)

const exists = (file: string): Promise<boolean> =>
  fs.access(file).then(
    () => true,
    () => false
  )

describe.skipIf(uid === undefined)("the cache of compiled modules", () => {
  it("of a first start serves the second, in a folder of the user alone (P1825)", async ({ onTestFinished }) => {
    const home = await temporaryFolder(onTestFinished)
    assert.strictEqual(await acceptedIn(home, environmentOf(home)), 0)
    assert.strictEqual((await fs.stat(cacheIn(home))).mode & 0o777, 0o700)
    const files = await filesIn(cacheIn(home))
    assert.isNotEmpty(files)
    assert.strictEqual(await acceptedIn(home, environmentOf(home)), files.length)
  })

  it("is written by a server that is idle, before anybody stops it (P1825)", async ({ onTestFinished }) => {
    const home = await temporaryFolder(onTestFinished)
    const environment = { ...quiet, ...environmentOf(home), NODE_DEBUG_NATIVE: "", STORAGE: "memory", DATA_DIR: home }
    const server = await new Server(onTestFinished, environment).start()
    await eventually("the cache has files", async () => (await filesIn(cacheIn(home))).length > 0)
    await server.kill()
  })

  it("is left out by COMPILE_CACHE=off, of .env too (P1826)", async ({ onTestFinished }) => {
    const home = await temporaryFolder(onTestFinished)
    assert.strictEqual(await acceptedIn(home, { ...environmentOf(home), COMPILE_CACHE: "off" }), 0)
    await fs.writeFile(path.join(home, ".env"), "COMPILE_CACHE=off\n")
    assert.strictEqual(await acceptedIn(home, environmentOf(home)), 0)
    assert.isFalse(await exists(cacheIn(home)))
  })

  it("is not where .env says (P1826)", async ({ onTestFinished }) => {
    const [home, other] = [await temporaryFolder(onTestFinished), await temporaryFolder(onTestFinished)]
    await fs.writeFile(path.join(home, ".env"), `XDG_CACHE_HOME=${other}\n`)
    const { XDG_CACHE_HOME: _, ...environment } = environmentOf(home)
    await acceptedIn(home, environment)
    assert.isEmpty(await fs.readdir(other))
    assert.isNotEmpty(await filesIn(cacheIn(home)))
  })

  it("does not hold up a start without a folder for it (P1826)", async ({ onTestFinished }) => {
    const home = await temporaryFolder(onTestFinished)
    await fs.writeFile(path.join(home, ".cache"), "")
    assert.strictEqual(await acceptedIn(home, environmentOf(home)), 0)
  })

  const prepared = async (atEnd: AtEnd) => {
    const caches = await temporaryFolder(atEnd)
    return { caches, folder: path.join(caches, "limbeck"), environment: { XDG_CACHE_HOME: caches } }
  }

  it("is in XDG_CACHE_HOME, or below HOME (P1825)", async ({ onTestFinished }) => {
    const { caches, environment, folder } = await prepared(onTestFinished)
    assert.strictEqual(folderOf(environment, uid), folder)
    assert.strictEqual(folderOf({ XDG_CACHE_HOME: "relative", HOME: caches }, uid), cacheIn(caches))
  })

  it("is refused in a folder of others (P1826)", async ({ onTestFinished }) => {
    const { caches, environment, folder } = await prepared(onTestFinished)
    await fs.mkdir(folder, { mode: 0o700 })
    assert.strictEqual(folderOf(environment, uid), folder)
    assert.isUndefined(folderOf(environment, (uid ?? 0) + 1))
    await fs.chmod(folder, 0o770)
    assert.isUndefined(folderOf(environment, uid))
    await fs.rename(folder, path.join(caches, "others"))
    await fs.chmod(path.join(caches, "others"), 0o700)
    await fs.symlink(path.join(caches, "others"), folder)
    assert.isUndefined(folderOf(environment, uid))
  })
})
