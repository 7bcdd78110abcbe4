/** The flags of a server process, as the operating system shows them, and `npm start`. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { get } from "node:http"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { allocatorVariables, missing, nodeFlags } from "@limbeck/node/ProcessFlags"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { inherited, main, quiet, testToken } from "./Server.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const read = (file: string): string => readFileSync(`${root}${file}`, "utf8")

const wordsOf = (file: string): ReadonlyArray<string> => readFileSync(file, "utf8").split("\0")

/** Every process below this one, by the tables of the kernel. */
const descendants = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((text) => text !== "")
    .flatMap((text) => [Number(text), ...descendants(Number(text))])

interface Flags {
  readonly flags: ReadonlyArray<string>
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** The flags of each process that runs the server. */
const flagsIn = (child: ChildProcess): ReadonlyArray<Flags> =>
  [child.pid!, ...descendants(child.pid!)].flatMap((pid) => {
    const words = wordsOf(`/proc/${pid}/cmdline`)
    if (!words.includes("serve") || !words.some((word) => /(?:^|\/)main\.m?[jt]s$/.test(word))) return []
    const variables = Object.fromEntries(
      wordsOf(`/proc/${pid}/environ`).map((line) => line.split("=", 2) as [string, string])
    )
    const ours = Object.keys(allocatorVariables)
    return [
      {
        flags: words.filter((word) => word.startsWith("--max-semi-space-size")),
        variables: Object.fromEntries(ours.map((name) => [name, variables[name]]))
      }
    ]
  })

const expected: Flags = { flags: nodeFlags, variables: allocatorVariables }

/** A server that listens. It keeps its data in a folder that is removed. */
const start = async (
  atEnd: AtEnd,
  command: string,
  words: ReadonlyArray<string>,
  more: Record<string, string> = {}
) => {
  const DATA_DIR = await temporaryFolder(atEnd)
  const settings = { ...quiet, BOOTSTRAP_TEST_TOKEN: testToken, STORAGE: "memory", PORT: "0", DATA_DIR, ...more }
  const child = spawn(command, words, {
    cwd: root,
    env: { ...inherited(), ...settings },
    stdio: ["ignore", "pipe", "inherit"]
  })
  atEnd(async () => {
    if (child.exitCode !== null) return
    child.kill("SIGTERM")
    await once(child, "exit")
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    const origin = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
    if (origin !== undefined) return { child, origin }
  }
  throw new Error("It ended before it listened")
}

const node = ["--conditions=@limbeck/source", main, "serve"]

/** Only Linux shows the flags of a process as files. */
const isShown = existsSync("/proc/self/environ")

it("npm start gives a server its flags (P1042) and hands a SIGTERM on: the server ends in order, and no process stays behind", async ({
  onTestFinished
}) => {
  const { child, origin } = await start(onTestFinished, "npm", ["start"])
  if (isShown) assert.deepStrictEqual(flagsIn(child), [expected])
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  assert.deepStrictEqual(await ended, [0, null])
  const [error] = await once(get(`${origin}/healthz`), "error")
  assert.strictEqual(error.code, "ECONNREFUSED")
})

describe.skipIf(!isShown)("a server has the flags of ProcessFlags.ts (P1042)", () => {
  it("started by hand, under the process id of the start", async ({ onTestFinished }) => {
    const { child } = await start(onTestFinished, process.execPath, node)
    assert.deepStrictEqual(flagsIn(child), [expected])
    assert.include(wordsOf(`/proc/${child.pid}/cmdline`), nodeFlags[0])
  })

  it("in each of several processes", async ({ onTestFinished }) => {
    const { child } = await start(onTestFinished, process.execPath, [...node, "--processes", "2"], {
      STORAGE: "embedded"
    })
    assert.deepStrictEqual(flagsIn(child), [expected, expected, expected])
  })

  it("but for those that the operator set", async ({ onTestFinished }) => {
    const own = { NODE_OPTIONS: "--max_semi_space_size=16", MALLOC_ARENA_MAX: "2" }
    const { child } = await start(onTestFinished, process.execPath, node, own)
    assert.deepStrictEqual(flagsIn(child), [{ flags: [], variables: { ...allocatorVariables, MALLOC_ARENA_MAX: "2" } }])
  })
})

describe("what is missing", () => {
  it("is nothing where all is set, whatever the values", () => {
    const variables = { MALLOC_ARENA_MAX: "4", MALLOC_MMAP_THRESHOLD_: "1" }
    assert.deepStrictEqual(missing({ arguments: ["--max-semi-space-size=1"], variables }), { flags: [], variables: {} })
    assert.deepStrictEqual(missing({ arguments: [], variables: {} }), {
      flags: [...nodeFlags],
      variables: { ...allocatorVariables }
    })
  })
})

describe("the flags stand in one place", () => {
  const files = ["package.json", ...readdirSync(`${root}examples/deploy`).map((name) => `examples/deploy/${name}`)]
  const names = [...nodeFlags.map((flag) => flag.split("=")[0] ?? ""), ...Object.keys(allocatorVariables)]

  it("no file of the deployment repeats them", () => {
    for (const file of files.filter((file) => /\.[a-z]+$|Dockerfile$/.test(file))) {
      assert.deepStrictEqual([file, names.filter((name) => read(file).includes(name))], [file, []])
    }
  })

  it("the page on memory shows them", () => {
    const page = read("docs/configuration.md")
    for (const flag of nodeFlags) assert.include(page, `\`${flag}\``)
    for (const [name, value] of Object.entries(allocatorVariables)) assert.include(page, `\`${name}=${value}\``)
  })
})
