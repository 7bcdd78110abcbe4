/**
 * One table of comparable lines: each next to the bare line of its group, in interleaved rounds, with Postgres's CPU.
 * Writes `benchmarks.json` and the table in `benchmarks.md` of BENCH_OUT (by default `docs`), or nothing, with exit code 1,
 * after an unsteady bare line.
 */
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Contestants from "./Contestants.ts"
import * as Machine from "./Machine.ts"
import * as Postgres from "./Postgres.ts"
import * as Report from "./Report.ts"
import * as Rounds from "./Rounds.ts"

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)
const roundsMax = Number(process.env["BENCH_ROUNDS_MAX"] ?? 4 * rounds)
const options: Contestants.Options = {
  seconds: Number(process.env["BENCH_SECONDS"] ?? 4),
  clients: Number(process.env["BENCH_CLIENTS"] ?? 32)
}
const docs = path.resolve(import.meta.dirname, "../../../docs")

/** Each part has a Postgres of its own, and its rounds for itself. */
const measured = async (
  use: (url: string) => Promise<{ contestants: ReadonlyArray<Rounds.Contestant>; stop: () => Promise<unknown> }>
) =>
  Postgres.use(async (url) => {
    const { contestants, stop } = await use(url)
    const samples = await Rounds.run(contestants, { rounds, roundsMax })
    const machine = await Machine.describe(url)
    await stop()
    return { samples, machine }
  })

export const main = async (): Promise<void> => {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-bench-journal-"))
  const { done, steal } = await Machine.stealing(async () => [
    await measured((url) => Contestants.controlPlane(url, options)),
    await measured((url) => Contestants.gateways(url, directory, options)),
    await measured(() => Contestants.backlogs(options)),
    await measured(() => Contestants.runs(options))
  ])
  await fs.rm(directory, { recursive: true, force: true })
  const samples: Rounds.Samples = new Map(done.flatMap((part) => [...part.samples]))
  const report: Report.Report = {
    ...options,
    rounds,
    roundsMax,
    steal,
    machine: done[0]!.machine, // There are four parts.
    lines: Rounds.linesOf(samples)
  }
  process.stdout.write(`${Report.markdown(report)}\n`)
  const reasons = Rounds.unsteady(samples)
  if (reasons.length > 0) {
    process.stderr.write(`Not reported, because the machine did not hold still: ${reasons.join("; ")}\n`)
    process.exitCode = 1
    return
  }
  await Report.write(process.env["BENCH_OUT"] ?? docs, report)
}
