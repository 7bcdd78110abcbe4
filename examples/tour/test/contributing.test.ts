// @effect-diagnostics globalFetch:off
/** The worked example of CONTRIBUTING.md, built from its text in a copy of the sources. */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { assert, describe, it } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { isWhole } from "@limbeck/testing/Campaign"
import { copyTo, root } from "./Copy.ts"

const page = fs.readFileSync(path.join(root, "CONTRIBUTING.md"), "utf8")
const example = page.split("## A new kind of resource\n")[1]?.split("\n## ")[0] ?? ""

/** A file of the example: a new file, or lines for an existing file. */
interface Step {
  readonly file: string
  readonly kind: string
  readonly lines: ReadonlyArray<string>
}

const steps: ReadonlyArray<Step> = [
  ...example.matchAll(/`(packages\/[^`]+\.(?:ts|json))`:\n\n```(ts|diff)\n(.+?)```/gs)
].map(([, file = "", kind = "", text = ""]) => ({ file, kind, lines: text.trimEnd().split("\n") }))

/** Added lines go behind the file's preceding line; lines without one go before the imports. */
const patched = (source: string, { file, lines }: Step): string => {
  const result = source.split("\n")
  let place = result.findIndex((line) => line.startsWith("import "))
  for (const line of lines) {
    if (line.startsWith("+")) result.splice(place++, 0, line.slice(1))
    else {
      place = result.indexOf(line.slice(1)) + 1
      assert.isAbove(place, 0, `${file} has no line "${line.slice(1)}"`)
    }
  }
  return result.join("\n")
}

const apply = (copy: string) => {
  for (const step of steps) {
    const file = path.join(copy, step.file)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(
      file,
      step.kind === "ts" ? `${step.lines.join("\n")}\n` : patched(fs.readFileSync(file, "utf8"), step)
    )
  }
}

const main = "main.ts"

/** The current packages with the example, and a host. */
const copyWithExample = (atEnd: AtEnd): string => {
  const copy = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-tags-"))
  atEnd(() => fs.rmSync(copy, { recursive: true, force: true }))
  copyTo(copy, (file) => /\/src\/|(?:package|tsconfig[.\w]*)\.json$/.test(file))
  apply(copy)
  fs.copyFileSync(path.join(root, "examples/embed-node/src/main.ts"), path.join(copy, main))
  return copy
}

/** Compiles a host and its modules together: a build would read Effect's types once per package. */
const checkTypes = (copy: string) => {
  const config = {
    extends: "./tsconfig.base.json",
    compilerOptions: { composite: false, noEmit: true, types: ["node"] },
    files: [main]
  }
  fs.writeFileSync(path.join(copy, "tsconfig.json"), JSON.stringify(config))
  execFileSync(path.join(root, "node_modules/.bin/tsc"), ["-p", "."], { cwd: copy, stdio: "inherit" })
}

/** Serves the copy on memory, and asks it for tags. */
const askForTags = async (copy: string) => {
  const port = await freePort()
  const host = spawn(process.execPath, ["--conditions=@limbeck/source", path.join(copy, main)], {
    env: { PATH: process.env["PATH"], PORT: String(port), ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64") },
    stdio: ["ignore", "pipe", "inherit"]
  })
  try {
    const lines = createInterface({ input: host.stdout })
    // Without a line: the host ended.
    const [line] = await Promise.race([once(lines, "line"), once(lines, "close")])
    const { testToken } = JSON.parse(line ?? "null")
    const headers = { authorization: `Bearer ${testToken}`, "content-type": "application/json" }
    const url = `http://127.0.0.1:${port}/limbeck/v1/distill/tags`
    const made = await fetch(url, { method: "POST", headers, body: JSON.stringify({ name: "billing" }) })
    const tag: unknown = await made.json()
    const listed: unknown = await (await fetch(url, { headers })).json()
    return { status: made.status, tag, listed }
  } finally {
    host.kill("SIGKILL")
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // A listening server has a port.
  server.close()
  await once(server, "close")
  return port
}

describe("a new kind of resource, as CONTRIBUTING shows it", () => {
  it("takes three new files, five lines in lists, and at most 67 lines of code", () => {
    assert.deepStrictEqual(
      steps.map(({ kind }) => kind),
      ["ts", "ts", "ts", "diff", "diff", "diff", "diff", "diff"]
    )
    const sources = steps.filter(({ file }) => file.endsWith(".ts"))
    const added = sources.flatMap(({ kind, lines }) =>
      kind === "ts" ? lines : lines.filter((line) => line[0] === "+")
    )
    const code = added.filter((line) => line !== "" && !line.startsWith("/**"))
    assert.isAtMost(code.length, 67)
  })

  it("answers over HTTP", async ({ onTestFinished }) => {
    const { listed, status, tag } = await askForTags(copyWithExample(onTestFinished))
    assert.strictEqual(status, 201)
    assert.deepInclude(tag, { object: "tag", name: "billing" })
    assert.deepStrictEqual(listed, { data: [tag], has_more: false, next_cursor: null })
  })

  // The compiler takes long: part of `npm run campaigns` alone.
  it.skipIf(!isWhole)("compiles", ({ onTestFinished }) => checkTypes(copyWithExample(onTestFinished)))
})
