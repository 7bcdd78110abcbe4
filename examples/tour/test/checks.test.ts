/** The checks of `npm run check` see what they are there for: each mistake is planted in a copy of the repository. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { copyTo, root } from "./Copy.ts"

const checks = {
  knip: ["--no-config-hints"],
  depcruise: ["--config", ".dependency-cruiser.cjs", "packages", "examples"],
  biome: ["ci", "packages/core/src"]
}

const mistakes = [
  {
    name: "an export that nothing uses",
    check: "knip",
    file: "packages/distill/src/run/Budget.ts",
    line: "export const planted = 1",
    message: "planted"
  },
  {
    name: "a cycle of types",
    check: "depcruise",
    file: "packages/distill/src/run/Run.ts",
    line: 'import type { RunEvent } from "./RunMachine.ts"',
    message: "no-cycles"
  },
  {
    name: "a law that reaches a service",
    check: "depcruise",
    file: "packages/distill/src/run/RunMachine.ts",
    line: 'import * as Layer from "effect/Layer"',
    message: "laws-and-ports-reach-no-service"
  },
  {
    name: "a room that looks back in the loop",
    check: "depcruise",
    file: "packages/capture/src/call/Calls.ts",
    line: 'import * as Budget from "@limbeck/distill/run/Budget"',
    message: "floor-of-capture"
  },
  {
    name: "a function of more than 70 lines",
    check: "biome",
    file: "packages/core/src/money/Money.ts",
    line: `export const planted = () => {\n${"  void 0\n".repeat(71)}}`,
    message: "noExcessiveLinesPerFunction"
  }
] as const

const script = (file: string, ...options: ReadonlyArray<string>) => ["--conditions=@limbeck/source", file, ...options]

const scripts = {
  "check:openapi": script("packages/testing/openapi/run.ts"),
  "check:docs": script("packages/testing/promises/runCoverage.ts", "--check")
}

/** What is put in place of what, so that a script complains. */
const changes = [
  {
    name: "a document without a contact",
    check: "check:openapi",
    file: "packages/api/src/OpenApiDocument.ts",
    before: "contact: {",
    after: '"x-contact": {',
    message: "info-contact"
  },
  {
    name: "a status that no run has, in the types that are generated",
    check: "check:openapi",
    file: "packages/distill/src/run/Run.ts",
    before: '"evaluating",',
    after: '"evaluating", "done",',
    message: "openapi-typescript"
  },
  {
    name: "a route without a test",
    check: "check:docs",
    file: "packages/testing/promises/routes.json",
    before: '"createLoop"',
    after: '"createLoops"',
    message: "POST /v1/distill/loops (createLoop) has no test"
  },
  {
    name: "a test of the specification that is not there",
    check: "check:docs",
    file: "packages/testing/promises/specification.json",
    before: "whoami tells workspace",
    after: "whoami tells planets",
    message: "is not there"
  }
] as const

describe("npm run check", () => {
  let copy: string

  const run = (check: keyof typeof checks) =>
    spawnSync(path.join(root, "node_modules/.bin", check), checks[check], { cwd: copy, encoding: "utf8" })

  const runScript = (check: keyof typeof scripts) =>
    spawnSync(process.execPath, scripts[check], { cwd: copy, encoding: "utf8" })

  beforeAll(() => {
    copy = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-checks-"))
    copyTo(copy, (file) => file !== "")
  })

  afterAll(() => fs.rmSync(copy, { recursive: true, force: true }))

  for (const check of ["knip", "depcruise", "biome"] as const) {
    it(`${check} finds nothing in the repository as it is`, () => {
      const { status, stdout } = run(check)
      assert.strictEqual(status, 0, stdout)
    })
  }

  for (const { check, file, line, message, name } of mistakes) {
    it(`${check} refuses ${name}`, ({ onTestFinished }) => {
      const place = path.join(copy, file)
      const source = fs.readFileSync(place, "utf8")
      onTestFinished(() => fs.writeFileSync(place, source))
      fs.writeFileSync(place, `${source}${line}\n`)
      const { status, stderr, stdout } = run(check)
      assert.notStrictEqual(status, 0)
      assert.include(stdout + stderr, message)
    })
  }

  for (const { after, before, check, file, message, name } of changes) {
    it(`${check} refuses ${name}`, ({ onTestFinished }) => {
      const place = path.join(copy, file)
      const source = fs.readFileSync(place, "utf8")
      assert.include(source, before)
      onTestFinished(() => fs.writeFileSync(place, source))
      fs.writeFileSync(place, source.replace(before, after))
      const { status, stderr } = runScript(check)
      assert.notStrictEqual(status, 0)
      assert.include(stderr, message)
    })
  }
})
