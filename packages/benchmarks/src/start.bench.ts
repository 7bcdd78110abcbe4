/**
 * The cost of a start of `limbeck serve` on memory: from source, from the bundle of the packs and from its modules, with modules that V8 compiles and with
 * modules from the compile cache of the start before. All of them in turns. Linux only.
 */
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Machine from "./Machine.ts"
import { proportionalBytes } from "./PostgresUsage.ts"
import { spreadOf } from "./Rounds.ts"
import * as Standalone from "./Standalone.ts"
import * as Table from "./Table.ts"

const rounds = Number(process.env["BENCH_ROUNDS"] ?? 5)

/** Beyond the two idle seconds after which a server collects the garbage of its start, on a busy machine too. */
const idleMillis = 8_000

const programs = { source: Standalone.source, modules: Standalone.packedModules, pack: Standalone.packed } as const
const names = ["source", "modules", "pack"] as const

interface Variant {
  readonly name: string
  readonly program: Standalone.Program
  readonly environment: Standalone.Environment
}

interface Start {
  readonly cpuMicros: number
  readonly bytes: number
  readonly idleBytes: number
}

const start = ({ environment, program }: Variant, forMillis: number): Promise<Start> =>
  Standalone.use(
    async ({ cpuMicros, pid }) => {
      const [cpu, bytes] = await Promise.all([cpuMicros(), proportionalBytes(pid)])
      await sleep(forMillis)
      return { cpuMicros: cpu, bytes, idleBytes: await proportionalBytes(pid) }
    },
    [],
    { STORAGE: "memory", ...environment },
    program
  )

const variantsOf = (name: keyof typeof programs, caches: string): ReadonlyArray<Variant> => {
  const program = programs[name]
  if (!existsSync(program.file)) throw new Error(`${program.file} does not exist: npm run build makes it`)
  return [
    { name, program, environment: { COMPILE_CACHE: "off" } },
    { name: `${name}, compile cache`, program, environment: { XDG_CACHE_HOME: path.join(caches, name) } }
  ]
}

const row = (name: string, starts: ReadonlyArray<Start>, first: ReadonlyArray<Start>): ReadonlyArray<string> => {
  const medianOf = (of: (start: Start) => number) => spreadOf(starts.map(of)).median
  const cpu = spreadOf(starts.map(({ cpuMicros }) => cpuMicros / 1e6))
  const ratio = spreadOf(starts.map(({ cpuMicros }, round) => cpuMicros / (first[round]?.cpuMicros ?? Number.NaN)))
  return [
    name,
    `${Table.figure(cpu.median, 2)} (${Table.figure(cpu.least, 2)}–${Table.figure(cpu.most, 2)})`,
    Table.figure(ratio.median, 2),
    Table.mebibytes(medianOf(({ bytes }) => bytes)),
    Table.mebibytes(medianOf(({ idleBytes }) => idleBytes))
  ]
}

const measure = async (variants: ReadonlyArray<Variant>): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  // The first start fills the cache, and the system's cache of files.
  for (const variant of variants) await start(variant, 0)
  const starts: ReadonlyArray<Array<Start>> = variants.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [index, variant] of variants.entries()) starts[index]?.push(await start(variant, idleMillis))
  }
  return variants.map(({ name }, index) => row(name, starts[index] ?? [], starts[0] ?? []))
}

/** Parts: `source`, `modules`, `pack`, or all of them. */
export const main = async (parts: ReadonlyArray<string> = []): Promise<void> => {
  const chosen = names.filter((name) => parts.length === 0 || parts.includes(name))
  const caches = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-caches-"))
  try {
    const { done, steal } = await Machine.stealing(() => measure(chosen.flatMap((name) => variantsOf(name, caches))))
    Table.print(
      `A start until it listens, ${rounds} rounds, steal ${steal === null ? "unknown" : Table.percent(steal)}`,
      ["program", "CPU s", "/ first", "PSS", "PSS idle"],
      done
    )
  } finally {
    await fs.rm(caches, { recursive: true, force: true })
  }
}
