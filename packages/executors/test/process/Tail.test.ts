import * as fs from "node:fs"
import * as path from "node:path"
import { assert, it } from "@effect/vitest"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import * as Tail from "../../src/process/internal/Tail.ts"

it("what was said on standard error before a line of standard output is read with it, whenever both are written", async ({
  onTestFinished
}) => {
  const folder = await temporaryFolder(onTestFinished)
  const files = { stdout: path.join(folder, "stdout"), stderr: path.join(folder, "stderr") }
  const tailOf = (file: string) => Tail.make(file, 0, 1_000)
  const trainer = Effect.sync(() => {
    fs.writeFileSync(files.stderr, "a word\n")
    fs.writeFileSync(files.stdout, "the result\n")
  })
  const texts = (lines: ReadonlyArray<{ readonly text: string }>) => lines.map(({ text }) => text)
  const stdout = tailOf(files.stdout)
  // The trainer writes after the first read has begun, and no other read follows.
  const writing = { ...stdout, read: Effect.andThen(trainer, stdout.read) }
  const { err, out } = await Effect.runPromise(Tail.readBoth(writing, tailOf(files.stderr)))
  assert.deepStrictEqual([texts(out), texts(err)], [["the result"], ["a word"]])
})
