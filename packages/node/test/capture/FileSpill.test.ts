/** Files of answers under way: private, whole, and gone with the process that made them. */
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { assert, it } from "@effect/vitest"
import { Spill } from "@limbeck/capture/tape/Spill"
import * as Effect from "effect/Effect"
import * as FileSpill from "../../src/capture/FileSpill.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(tmpdir(), "limbeck-spill-"))),
  (directory) => Effect.sync(() => fs.rmSync(directory, { recursive: true, force: true }))
)

const openFiles = () => (process.platform === "linux" ? fs.readdirSync("/proc/self/fd").length : 0)

it.live("what is spilled comes back as it was, from a file that has no name", () =>
  Effect.gen(function* () {
    const directory = path.join(yield* folder, "journal")
    yield* Effect.gen(function* () {
      const place = yield* Spill
      if (place === null) return assert.fail("the layer provides one")
      const before = openFiles()
      const [one, other] = [yield* place.open, yield* place.open]
      yield* one.append([Buffer.from("a"), Buffer.from("bc")])
      yield* other.append([Buffer.from("x")])
      yield* one.append([Buffer.alloc(1_000_000, "d")])
      assert.deepStrictEqual(fs.readdirSync(directory), [])
      assert.strictEqual(Buffer.from(yield* one.read).toString(), `abc${"d".repeat(1_000_000)}`)
      assert.strictEqual(Buffer.from(yield* other.read).toString(), "x")
      yield* Effect.all([one.close, other.close])
      assert.strictEqual(openFiles(), before)
    }).pipe(Effect.provide(FileSpill.layer({ directory })))
  })
)

it.live("a folder that cannot be written is a failure, and no defect", () =>
  Effect.gen(function* () {
    const place = yield* Spill
    const failure = yield* Effect.flip(place?.open ?? Effect.die("the layer provides one"))
    assert.strictEqual(failure._tag, "SpillFailed")
  }).pipe(Effect.provide(FileSpill.layer({ directory: "/dev/null/journal" })))
)
