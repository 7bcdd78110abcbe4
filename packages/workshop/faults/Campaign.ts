/** One fault in a world of its own: load, the fault, more load, rest, and the count. */
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as sleep } from "node:timers/promises"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Audit from "./Audit.ts"
import type { Fault } from "./Fault.ts"
import type { Ledger } from "./Ledger.ts"
import { Load } from "./Load.ts"
import * as World from "./World.ts"

/** Load before the fault, and after it. */
const calmMillis = 3_000

export interface Result {
  readonly audit: Audit.Audit
  readonly ledger: Ledger
  /** Calls whose only copy the fault destroyed. */
  readonly destroyed: number
  readonly seconds: number
  /** Which laws were broken. */
  readonly broken: ReadonlyArray<string>
}

const brokenLaws = ({ badSignatures, counts, dropped }: Audit.Audit, destroyed: number, fault: Fault) => {
  const lostOf = (name: string, lost: number) => (name === "call" ? lost - destroyed : lost)
  const broken = Object.entries(counts).flatMap(([name, { doubled, lost }]) => [
    ...(lostOf(name, lost) > 0 ? [`${name}: ${lost} lost`] : []),
    ...(doubled > 0 ? [`${name}: ${doubled} doubled`] : [])
  ])
  if (dropped > destroyed) broken.push(`the servers say that they dropped ${dropped} calls`)
  if (badSignatures > 0 && fault.shiftsClock !== true) broken.push(`${badSignatures} bad signatures`)
  return broken
}

const signals = ["SIGINT", "SIGTERM"] as const

/** Undoes steps in reverse order, even after a failure or interruption. */
const undoing = async <A>(work: (atEnd: AtEnd) => Promise<A>): Promise<A> => {
  const steps: Array<() => Promise<void> | void> = []
  const undo = async () => {
    for (const step of steps.toReversed()) await step()
  }
  const interrupted = () => void undo().finally(() => process.exit(1))
  for (const signal of signals) process.once(signal, interrupted)
  try {
    return await work((step) => void steps.push(step))
  } finally {
    for (const signal of signals) process.off(signal, interrupted)
    await undo()
  }
}

export const run = (fault: Fault): Promise<Result> =>
  undoing(async (atEnd) => {
    const startedAt = performance.now()
    const folder = await temporaryFolder(atEnd)
    const dataDir = (await fault.dataDir?.(atEnd, folder)) ?? path.join(folder, "postgres")
    const world = await World.open(atEnd, folder, { dataDir, environment: fault.environment?.(folder) ?? {} })
    const known = await Audit.before(world)
    const load = new Load(world)
    await sleep(calmMillis)
    await fault.run(world)
    await sleep(calmMillis)
    await load.stop()
    const audit = await Audit.audit(world, load, known)
    const seconds = (performance.now() - startedAt) / 1_000
    const destroyed = fault.destroys ?? 0
    return { audit, ledger: load.ledger, destroyed, seconds, broken: brokenLaws(audit, destroyed, fault) }
  })
