/**
 * `npm run mutants [-- words of names]`: makes each mistake in a copy of the repository and runs the tests that must catch it. Ends 0 only when
 * every mistake is caught, and the copy passes without any.
 */
import { execFileSync, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { mutants } from "./all.ts"
import { type Mutant, mistaken } from "./Mutant.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const copy = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-mutants-"))
const say = (line: string) => process.stdout.write(`${line}\n`)

const prepare = () => {
  const listing = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const listed = execFileSync("git", listing, { cwd: root, encoding: "utf8" }).split("\0")
  for (const file of listed.filter((file) => file !== "" && fs.existsSync(path.join(root, file)))) {
    fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true })
    fs.copyFileSync(path.join(root, file), path.join(copy, file))
  }
  // The links between our packages are relative, so in the copy they lead to the copy.
  fs.cpSync(path.join(root, "node_modules"), path.join(copy, "node_modules"), {
    recursive: true,
    verbatimSymlinks: true
  })
}

/** A mistake may make a test wait for good: that is caught too. */
const testsMillisMax = 300_000

const passes = (tests: ReadonlyArray<string>): boolean => {
  const vitest = path.join(copy, "node_modules/vitest/vitest.mjs")
  return (
    spawnSync(process.execPath, [vitest, "run", "--bail=1", ...tests], {
      cwd: copy,
      stdio: "ignore",
      timeout: testsMillisMax
    }).status === 0
  )
}

const fate = (mutant: Mutant): "caught" | "SURVIVED" | "OUTDATED" => {
  const file = path.join(copy, mutant.file)
  const source = fs.readFileSync(file, "utf8")
  const wrong = mistaken(source, mutant)
  if (wrong === null) return "OUTDATED"
  fs.writeFileSync(file, wrong)
  const passed = passes(mutant.tests)
  fs.writeFileSync(file, source)
  return passed ? "SURVIVED" : "caught"
}

try {
  prepare()
  const words = process.argv.slice(2)
  const wanted = mutants.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  const sound = [...new Set(wanted.map(({ tests }) => tests.join(" ")))].filter((tests) => !passes(tests.split(" ")))
  for (const tests of sound) say(`fails without any mistake: ${tests}`)
  const failures = wanted.filter((mutant) => {
    const found = fate(mutant)
    say(`${found.padEnd(8)}  ${mutant.name}`)
    return found !== "caught"
  })
  process.exitCode = failures.length + sound.length === 0 ? 0 : 1
} finally {
  fs.rmSync(copy, { recursive: true, force: true })
}
