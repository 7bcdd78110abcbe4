/** What `upload` and `import` read: files, pipes, standard input. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { linesOf, row } from "@limbeck/testing/http/Steps"
import { runHere } from "./InProcess.ts"
import { runIn, shellIn } from "./ProgramIn.ts"
import { quiet, Server, testToken } from "./Server.ts"

const server = new Server(afterAll, { ...quiet, STORAGE: "memory" })
beforeAll(() => server.start())

const environment = () => ({ LIMBECK_URL: server.origin, LIMBECK_TOKEN: testToken })

const count = 200
const rows = linesOf(Array.from({ length: count }, (_, index) => row(index)))

const folderWith = async (atEnd: AtEnd, content: string) => {
  const folder = await temporaryFolder(atEnd)
  await fs.writeFile(path.join(folder, "rows.jsonl"), content)
  return folder
}

describe.concurrent("rows", () => {
  it.each([
    ["a pipe and -", "cat rows.jsonl | limbeck upload -"],
    ["a pipe and /dev/stdin", "cat rows.jsonl | limbeck upload /dev/stdin"],
    ["a redirected file", "limbeck upload - <rows.jsonl"],
    ["a named pipe, as process substitution makes one", "mkfifo pipe; cat rows.jsonl >pipe & limbeck upload pipe"],
    ["a pipe of gzip", "gzip -c rows.jsonl | limbeck upload -"],
    ["a log in a pipe", "cat rows.jsonl | limbeck import - --format json"]
  ])("come from %s (P849)", async (_, script) => {
    const undos: Array<() => Promise<void> | void> = []
    const folder = await folderWith((undo) => void undos.push(undo), rows)
    const { code, stderr, stdout } = await shellIn(folder, script, environment())
    assert.deepStrictEqual([code, stderr], [0, ""], stderr)
    assert.match(stdout, new RegExp(`^(upl_\\w+), which .+\n\\1 succeeded: ${count} rows\n$`))
    for (const undo of undos) await undo()
  })

  it("come from the socket that another program starts this one with (P849)", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    for (const name of ["-", "/dev/stdin"]) {
      const { code, stdout } = await runIn(folder, ["upload", name], { environment: environment(), input: rows })
      assert.deepStrictEqual([code, stdout.includes(`succeeded: ${count} rows`)], [0, true], stdout)
    }
  })

  it("that are none are an error, and no version is made of them (P849)", async ({ onTestFinished }) => {
    const folder = await folderWith(onTestFinished, "")
    await fs.writeFile(path.join(folder, "blank.jsonl"), "\n\n")
    const piped = await shellIn(folder, "cat rows.jsonl | limbeck upload - --dataset tickets", environment())
    assert.deepStrictEqual([piped.code, piped.stderr], [1, "standard input is empty: nothing was sent\n"])
    assert.notInclude(piped.stdout, "dsv_")
    const [rowsFile, blankFile] = [path.join(folder, "rows.jsonl"), path.join(folder, "blank.jsonl")]
    for (const [words, message] of [
      [["upload", rowsFile, "--dataset", "tickets"], `${rowsFile} is empty: nothing was sent`],
      [["import", rowsFile], `${rowsFile} is empty: nothing was sent`],
      [["import", blankFile], "blank.jsonl holds no entries: nothing was sent"],
      [["upload", blankFile, "--dataset", "tickets"], "blank.jsonl holds no rows"]
    ] as const) {
      const { code, stderr, stdout } = await runHere(environment(), words)
      assert.deepStrictEqual([code, stderr], [1, [message]])
      assert.notInclude(stdout.join("\n"), "dsv_")
    }
    const missing = await runHere(environment(), ["upload", path.join(folder, "nowhere.jsonl")])
    assert.deepStrictEqual([missing.code, missing.stderr.join("\n").includes("nowhere.jsonl")], [1, true])
  })
})
