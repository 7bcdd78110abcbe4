/** The files of a journal find their own mistakes. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { JournalFiles } from "../../src/capture/journal/internal/JournalFiles.ts"
import { record } from "./Records.ts"

describe("the files of a journal", () => {
  it("name a sum that differs from that of their segments, and go on (P1412)", async ({ onTestFinished }) => {
    const directory = fs.mkdtempSync(path.join(tmpdir(), "limbeck-journal-"))
    onTestFinished(() => fs.rmSync(directory, { recursive: true }))
    const files = new JournalFiles(directory, { bytesMax: 1024 ** 2, segmentBytes: 1024, heldBytesMax: 1024 ** 2 })
    const append = (index: number) => new Promise<void>((done) => files.append(record(index), done))
    for (const index of [0, 1, 2]) await append(index)
    assert.isNull(files.mistake)
    files.waiting.add(2)
    await append(3)
    assert.strictEqual(files.mistake, "2: 5 records wait, and the segments have 3")
    const taken = await files.next({ records: 10, bytes: 1024 ** 2 })
    assert.isAbove(taken.length, 0)
    await files.close()
  })
})
