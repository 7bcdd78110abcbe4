import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { makeFolder } from "@limbeck/node/folders/MakeFolder"
import { temporaryFolder } from "@limbeck/testing/Folders"

const codeOf = (making: Promise<unknown>): Promise<string | undefined> =>
  making.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error.code
  )

describe("makeFolder", () => {
  it("makes the folders that are missing for their owner alone, and returns the first", async ({ onTestFinished }) => {
    const root = await temporaryFolder(onTestFinished)
    const [first, last] = [join(root, "a"), join(root, "a", "b", "c")]
    assert.strictEqual(await makeFolder(last), first)
    assert.deepStrictEqual(
      [first, last].map((folder) => statSync(folder).mode & 0o777),
      [0o700, 0o700]
    )
    assert.isUndefined(await makeFolder(last))
  })

  it("makes one folder for many that ask at once", async ({ onTestFinished }) => {
    const root = await temporaryFolder(onTestFinished)
    await Promise.all(Array.from({ length: 20 }, () => makeFolder(join(root, "a", "b", "c"))))
    assert.deepStrictEqual(readdirSync(root, { recursive: true }).sort(), ["a", "a/b", "a/b/c"])
  })

  it("leaves a folder that is there as it is", async ({ onTestFinished }) => {
    const folder = join(await temporaryFolder(onTestFinished), "open")
    mkdirSync(folder, { mode: 0o755 })
    await makeFolder(folder)
    assert.strictEqual(statSync(folder).mode & 0o777, 0o755)
  })

  it("rejects at a file, and below one", async ({ onTestFinished }) => {
    const file = join(await temporaryFolder(onTestFinished), "file")
    writeFileSync(file, "")
    assert.deepStrictEqual(
      [await codeOf(makeFolder(file)), await codeOf(makeFolder(join(file, "below")))],
      ["EEXIST", "ENOTDIR"]
    )
  })

  it.skipIf(process.platform !== "linux")("rejects where no folder can ever be made (P926)", async () => {
    assert.strictEqual(await codeOf(makeFolder("/proc/journal/below")), "ENOENT")
  })
})
