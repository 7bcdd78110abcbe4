/** The checks of `npm run check` find mistakes planted in a copy of the repository, and nothing else. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { isWhole } from "@limbeck/testing/Campaign"
import { copyTo, root } from "./Copy.ts"

interface Mistake {
  readonly name: string
  readonly file: string
  readonly change: (source: string) => string
  readonly message: string
}

interface Check {
  readonly name: string
  readonly command: ReadonlyArray<string>
  /** Its first group captures each kind of finding. */
  readonly kinds: RegExp
  readonly expected: ReadonlyArray<string>
  /** Takes long: part of `npm run campaigns` alone. */
  readonly isLong?: boolean
  /** Planted together: a check takes as long for many as for one. */
  readonly mistakes: ReadonlyArray<Mistake>
}

const tool = (name: string, ...options: ReadonlyArray<string>) => [
  path.join(root, "node_modules/.bin", name),
  ...options
]

const script = (file: string, ...options: ReadonlyArray<string>) => [
  process.execPath,
  "--conditions=@limbeck/source",
  file,
  ...options
]

const withLine = (line: string) => (source: string) => `${source}${line}\n`

const instead = (before: string, after: string) => (source: string) => {
  assert.include(source, before)
  return source.replace(before, after)
}

const checks: ReadonlyArray<Check> = [
  {
    name: "knip",
    isLong: true,
    command: tool("knip", "--no-config-hints"),
    kinds: /^(\S.* \(\d+\))$/gm,
    expected: ["Unused exports (1)"],
    mistakes: [
      {
        name: "an export that nothing uses",
        file: "packages/distill/src/run/Budget.ts",
        change: withLine("export const planted = 1"),
        message: "planted"
      }
    ]
  },
  {
    name: "depcruise",
    isLong: true,
    // The packages with mistakes: `npm run check` has read the others.
    command: tool("depcruise", "--config", ".dependency-cruiser.cjs", "packages/capture", "packages/distill"),
    kinds: /^ +(?:error|warn) (\S+):/gm,
    expected: ["no-cycles", "laws-and-ports-reach-no-service", "floor-of-capture"],
    mistakes: [
      {
        name: "a cycle of types",
        file: "packages/distill/src/run/Run.ts",
        change: withLine('import type { RunEvent } from "./RunMachine.ts"'),
        message: "no-cycles: packages/distill/src/run/Run.ts"
      },
      {
        name: "a law that reaches a service",
        file: "packages/distill/src/run/RunMachine.ts",
        change: withLine('import * as Layer from "effect/Layer"'),
        message: "laws-and-ports-reach-no-service: packages/distill/src/run/RunMachine.ts"
      },
      {
        name: "a room that looks back in the loop",
        file: "packages/capture/src/call/Calls.ts",
        change: withLine('import * as Budget from "@limbeck/distill/run/Budget"'),
        message: "floor-of-capture: packages/capture/src/call/Calls.ts"
      }
    ]
  },
  {
    name: "biome",
    command: tool("biome", "ci", "--colors=off", "packages/core/src"),
    kinds: /^packages\/\S+ (\S+) ━/gm,
    expected: ["lint/complexity/noExcessiveLinesPerFunction"],
    mistakes: [
      {
        name: "a function of more than 70 lines",
        file: "packages/core/src/money/Money.ts",
        change: withLine(`export const planted = () => {\n${"  void 0\n".repeat(71)}}`),
        message: "Maximum allowed is 70"
      }
    ]
  },
  {
    name: "check:openapi",
    isLong: true,
    command: script("packages/testing/openapi/run.ts"),
    kinds: /^(?:(?:spectral|redocly) )?(\S+(?=:| is out of date))/gm,
    expected: ["info-contact", "openapi-typescript", "packages/client/src/api/generated/types.ts"],
    mistakes: [
      {
        name: "a document without a contact",
        file: "packages/api/src/contract/OpenApiDocument.ts",
        change: instead("contact: {", '"x-contact": {'),
        message: "info-contact"
      },
      {
        name: "a status that no run has, in the types that are generated",
        file: "packages/distill/src/run/Run.ts",
        change: instead('"evaluating",', '"evaluating", "done",'),
        message: "openapi-typescript"
      }
    ]
  },
  {
    name: "check:docs",
    command: script("packages/workshop/promises/runCoverage.ts", "--check"),
    kinds: /(has no test|is no operation|is not there)$/gm,
    expected: ["has no test", "is no operation", "is not there"],
    mistakes: [
      {
        name: "a route without a test",
        file: "packages/workshop/promises/routes.json",
        change: instead('"createLoop"', '"createLoops"'),
        message: "POST /v1/distill/loops (createLoop) has no test"
      },
      {
        name: "a test of the specification that is not there",
        file: "packages/workshop/promises/specification.json",
        change: instead("whoami tells workspace", "whoami tells planets"),
        message: "is not there"
      }
    ]
  }
]

describe("npm run check", () => {
  let copy: string

  beforeAll(() => {
    copy = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-checks-"))
    copyTo(copy, (file) => file !== "")
  })

  afterAll(() => fs.rmSync(copy, { recursive: true, force: true }))

  /** Changes the file during `during`. */
  const plant = <A>(mistakes: ReadonlyArray<Mistake>, during: () => A): A => {
    const [first, ...others] = mistakes
    if (first === undefined) return during()
    const place = path.join(copy, first.file)
    const source = fs.readFileSync(place, "utf8")
    fs.writeFileSync(place, first.change(source))
    try {
      return plant(others, during)
    } finally {
      fs.writeFileSync(place, source)
    }
  }

  for (const { command, expected, isLong = false, kinds, mistakes, name } of checks) {
    it.skipIf(isLong && !isWhole)(
      `${name} refuses ${mistakes.map((mistake) => mistake.name).join(", ")}, and nothing else`,
      () => {
        const [program = "", ...options] = command
        const run = () => spawnSync(program, options, { cwd: copy, encoding: "utf8" })
        const { status, stderr, stdout } = plant(mistakes, run)
        const told = stdout + stderr
        assert.notStrictEqual(status, 0)
        for (const { message } of mistakes) assert.include(told, message)
        assert.sameMembers([...new Set(Array.from(told.matchAll(kinds), ([, kind]) => kind))], [...expected], told)
      }
    )
  }
})
