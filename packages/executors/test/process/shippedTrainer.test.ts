import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as Tools from "@limbeck/testing/Tools"
import * as Effect from "effect/Effect"
import { messages, world } from "./Trainings.ts"

const folder = fileURLToPath(new URL("../../../../trainers/trl", import.meta.url))

const isNew = (python: string): boolean =>
  spawnSync(python, ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0

const python = ["python3", "python3.13", "python3.12", "python3.11"].find(isNew)
const isHere = Tools.has("Python 3.11", "the protocol of the trainer that ships", python !== undefined)

/** Its training dependencies are not installed here; `npm run check:trainer` covers them. */
describe.skipIf(!isHere)("the trainer that ships", () => {
  const keeps = (subject: string) => {
    const test = path.join("tests", `test_${subject}.py`)
    const { status, stderr } = spawnSync(`${python}`, [test], { cwd: folder, encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    assert.match(stderr, /Ran \d+ tests/)
  }

  it.each(["protocol", "requests"])("keeps its own tests of %s, with Python alone (P315)", keeps)

  it("keeps its own tests of scores, with Python alone (P374)", () => keeps("rewards"))

  it("keeps its own tests of calls of tools, with Python alone (P415)", () => keeps("calls"))

  it.live("is understood by the executor, which does not try again what it refuses for good (P315)", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      // Isolated: without the packages that somebody may have installed.
      const source = `import sys; sys.path.insert(0, "${folder}"); from limbeck_trainer.__main__ import main; main()`
      const { failure, said } = yield* attempt("sft", { command: `${python} -I -S -c '${source}'` })
      assert.include(messages(said), "sft of Qwen/Qwen3-0.6B, attempt 1")
      assert.deepInclude({ ...failure }, { code: "trainer_failed", retryable: false })
      assert.include(failure?.message, "not installed whole")
    })
  )
})

describe("rows for a trainer", () => {
  it.live("hold the tools that the teacher was offered, for training and for evaluation (P316)", () =>
    Effect.gen(function* () {
      const tools = [{ type: "function", function: { name: "refund", parameters: { type: "object" } } }]
      const { attempt, folder: files, run } = yield* world({ tools })
      const linesOf = (name: string) =>
        fs
          .readFileSync(path.join(files, "runs", run.id, name), "utf8")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line))
      yield* attempt("sft", { command: `echo '{"type":"result"}'` })
      yield* attempt("eval", { command: `echo '{"type":"result"}'` })
      for (const row of [...linesOf("train.jsonl"), ...linesOf("holdout.jsonl")])
        assert.deepStrictEqual(row.tools, tools)
    })
  )
})
