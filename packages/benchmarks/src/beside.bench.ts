/**
 * Compares this checkout with another, such as the previous commit: `npm run bench -- beside PATH`. Runs `all` in both in
 * turn, BENCH_ROUNDS times (5 by default), and prints the CPU per operation. A line is worse if it costs more in every
 * round and its median ratio is above 1.05; then the command exits with 1. The other checkout needs its packages installed.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Report } from "./Report.ts"
import { spreadOf } from "./Rounds.ts"
import * as Table from "./Table.ts"

const ours = path.resolve(import.meta.dirname, "../../..")
const worseFrom = 1.05

/** The program of a checkout; older commits have it in another package. */
const programOf = (checkout: string): string | undefined =>
  ["packages/benchmarks/src/run.ts", "packages/limbeck/benchmarks/run.ts"]
    .map((file) => path.join(checkout, file))
    .find((file) => fs.existsSync(file))

/** CPU in µs of each operation of one round of `all` in a checkout, by the name of its line. */
const round = (checkout: string, program: string): ReadonlyMap<string, number> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-bench-beside-"))
  try {
    const env = { ...process.env, BENCH_ROUNDS: "1", BENCH_ROUNDS_MAX: "1", BENCH_OUT: folder }
    const { status } = spawnSync(process.execPath, ["--conditions=@limbeck/source", program, "all"], {
      cwd: checkout,
      env,
      stdio: ["ignore", "ignore", "inherit"]
    })
    if (status !== 0) throw new Error(`The benchmark of ${checkout} ended with ${status}`)
    // `all` has just written this report.
    const { lines } = JSON.parse(fs.readFileSync(path.join(folder, "benchmarks.json"), "utf8")) as Report
    return new Map(lines.map(({ cpuMicrosEach, name }) => [name, cpuMicrosEach.median]))
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

interface Comparison {
  readonly name: string
  /** CPU in µs of each round: theirs, ours. */
  readonly pairs: ReadonlyArray<readonly [theirs: number, ours: number]>
}

const ratiosOf = ({ pairs }: Comparison) => pairs.map(([theirs, mine]) => mine / theirs)

const isWorse = (comparison: Comparison): boolean => {
  const { least, median } = spreadOf(ratiosOf(comparison))
  return least > 1 && median > worseFrom
}

const row = (comparison: Comparison): string => {
  const of = (side: 0 | 1) => Table.figure(spreadOf(comparison.pairs.map((pair) => pair[side])).median, 0)
  const { least, median, most } = spreadOf(ratiosOf(comparison))
  const ratio = `${Table.figure(median, 2)} (${Table.figure(least, 2)}–${Table.figure(most, 2)})`
  return `| ${[comparison.name, of(0), of(1), ratio, isWorse(comparison) ? "worse" : ""].join(" | ")} |`
}

export const main = async ([other = ""]: ReadonlyArray<string>): Promise<void> => {
  const theirs = path.resolve(other)
  const theirProgram = programOf(theirs)
  if (other === "" || theirProgram === undefined) {
    process.stderr.write("Name the folder of another checkout: npm run bench -- beside PATH\n")
    process.exit(2)
  }
  const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
  const taken: Array<readonly [theirs: ReadonlyMap<string, number>, ours: ReadonlyMap<string, number>]> = []
  for (let index = 0; index < rounds; index++) {
    taken.push([round(theirs, theirProgram), round(ours, path.join(import.meta.dirname, "run.ts"))])
    process.stderr.write(`Round ${index + 1} of ${rounds}\n`)
  }
  const names = [...(taken[0]?.[1].keys() ?? [])]
  const comparisons = names.map((name): Comparison => {
    const pairs = taken.map(
      ([before, after]) => [before.get(name) ?? Number.NaN, after.get(name) ?? Number.NaN] as const
    )
    return { name, pairs }
  })
  const header = ["operation", "CPU µs there", "CPU µs here", "here / there", ""]
  process.stdout.write(`| ${header.join(" | ")} |\n| --- | ---: | ---: | ---: | --- |\n`)
  process.stdout.write(`${comparisons.map(row).join("\n")}\n`)
  if (comparisons.some(isWorse)) process.exit(1)
}
