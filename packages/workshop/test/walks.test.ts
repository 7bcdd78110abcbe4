/** The walks of docs/architecture.md, counted on the running library. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { url } from "@limbeck/testing/fixtures/Postgres"
import type { Walk } from "../walks/Walk.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const page = readFileSync(path.join(root, "docs/architecture.md"), "utf8")
const walksFolder = path.join(root, "packages/workshop/walks")

/** The text below a heading, up to the next one. */
const section = (heading: string): string => page.split(`\n### ${heading}\n`)[1]?.split(/\n##+ /)[0] ?? ""

const filesOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/^\d+\. \[([^\]]+)\]/gm)].map(([, file = ""]) => file)

/** A port, in which nothing runs. */
const isDeclaration = (file: string): boolean => {
  const text = readFileSync(path.join(root, file), "utf8")
  return /Context\.(?:Service|Reference)</.test(text) && !/from "effect\/Layer"/.test(text)
}

const crossings = ({ packages }: Walk): number => packages.length - 1
const withoutBilling = ({ packages, files }: Walk): Walk => ({
  packages: packages.filter((name) => name !== "billing").filter((name, index, all) => name !== all[index - 1]),
  files
})

const { stdout } = await promisify(execFile)(
  process.execPath,
  [
    ...["--conditions=@limbeck/source", "--import", path.join(walksFolder, "instrument.ts")],
    ...[path.join(walksFolder, "run.ts"), url]
  ],
  { cwd: root, maxBuffer: 16 * 1024 ** 2 }
)
const walks: Readonly<Record<"call" | "run" | "event", Walk>> = JSON.parse(stdout.trim().split("\n").at(-1) ?? "")

describe("the walks through the packages", () => {
  const headings = [
    ["A captured call becomes a dataset row", walks.call],
    ["A POST body becomes a run row", walks.run],
    ["An event becomes a settled delivery", walks.event]
  ] as const

  for (const [heading, walk] of headings) {
    it(`${heading}: the page names the packages that the library passes through (P1410)`, () => {
      assert.include(section(heading).replaceAll(/\s+/g, " "), walk.packages.join(" → "))
    })

    it(`${heading}: each file of the page is entered, but for ports (P1410)`, () => {
      const missed = filesOf(section(heading)).filter((file) => !walk.files.includes(file) && !isDeclaration(file))
      assert.deepStrictEqual(missed, [])
    })
  }

  it("are short: a call 9 crossings besides billing's, a run 6 packages, an event 6 crossings (P1410)", () => {
    assert.isAtMost(crossings(withoutBilling(walks.call)), 9, walks.call.packages.join(" "))
    assert.isAtMost(new Set(walks.run.packages).size, 6, walks.run.packages.join(" "))
    assert.isAtMost(crossings(walks.event), 6, walks.event.packages.join(" "))
  })

  it("a call never goes back from datasets to capture (P1410)", () => {
    assert.notInclude(walks.call.packages.slice(walks.call.packages.indexOf("distill")), "capture")
  })
})
