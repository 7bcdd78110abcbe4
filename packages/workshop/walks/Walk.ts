/**
 * The way of control through the packages, from the calls that a running program made. A crossing is a call of one package
 * by another; these are none:
 *
 * 1. a plain return, and the resumption of a caller after it;
 * 2. the same package called once more before control went anywhere else;
 * 3. a word or a law of a subject: a module that builds no layer returns at once, and decides nothing about the way;
 * 4. an id, a digest or a random number;
 * 5. a callback: a law of core calls a function that its caller gave to it.
 *
 * A leg is the part of the way on one fiber. Between legs the work waits in a queue; the next leg is a crossing unless its
 * own package made the last call of the leg before. The first leg begins with the caller of its first module.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Call } from "./Calls.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** The subjects and the contract hold words and laws besides services. Other packages are edges and adapters. */
const withLaws: ReadonlySet<string> = new Set([
  ...["core", "webhooks", "billing", "capture", "distill", "serving", "chat", "api"]
])
const valuesAlone: ReadonlySet<string> = new Set(["packages/core/src/ids/Ids.ts", "packages/node/src/Crypto.ts"])

const packageOf = (file: string): string => file.split("/")[1] ?? ""

const services = new Map<string, boolean>()
const buildsLayer = (file: string): boolean => {
  const known = services.get(file)
  if (known !== undefined) return known
  const builds = /from "effect\/Layer"/.test(readFileSync(root + file, "utf8"))
  services.set(file, builds)
  return builds
}

/** Core imports no other subject: its laws call what is given to them. */
const isCallback = (caller: string, file: string): boolean =>
  packageOf(caller) === "core" && !buildsLayer(caller) && withLaws.has(packageOf(file))

const isCrossing = ({ caller, file }: Call): boolean =>
  caller !== undefined &&
  packageOf(caller) !== packageOf(file) &&
  !isCallback(caller, file) &&
  !valuesAlone.has(file) &&
  (!withLaws.has(packageOf(file)) || buildsLayer(file))

/** The first module of a leg; with several callers, also the caller in question. */
export interface Start {
  readonly file: string
  readonly caller?: string
}

/** The recording holds no such walk. */
export class NoWalk extends Error {}

/** The calls of a leg: from the first call of its module on a fiber, to the first call of the next leg's module, or the end. */
const legsOf = (calls: ReadonlyArray<Call>, wanted: ReadonlyArray<Start>, end: string) => {
  let from = 0
  const starts = wanted.map(({ caller, file: module }) => {
    const at = calls.findIndex(
      (call, index) =>
        index >= from && call.fiber !== 0 && call.file === module && (caller === undefined || call.caller === caller)
    )
    if (at < 0) throw new NoWalk(`No fiber entered ${module}`)
    from = at
    return at
  })
  return starts.map((start, index) => {
    const fiber = calls[start]?.fiber
    const leg = calls.slice(start, starts[index + 1]).filter((call) => call.fiber === fiber)
    return index < starts.length - 1 ? leg : leg.slice(0, leg.findIndex(({ file }) => file === end) + 1)
  })
}

export interface Walk {
  /** In the order in which control came to them. */
  readonly packages: ReadonlyArray<string>
  /** The modules that called or were called. */
  readonly files: ReadonlyArray<string>
}

/** `starts`: the beginning of each leg; `end`: whose first call in the last leg ends the walk. */
export const walkOf = (calls: ReadonlyArray<Call>, starts: ReadonlyArray<Start>, end: string): Walk => {
  const legs = legsOf(calls, starts, end)
  return {
    packages: packagesOn(
      legs,
      starts.map(({ file }) => file)
    ),
    files: [...new Set(legs.flat().flatMap(({ caller, file }) => (caller === undefined ? [file] : [caller, file])))]
  }
}

const packagesOn = (
  legs: ReadonlyArray<ReadonlyArray<Call>>,
  modules: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const way: Array<string> = []
  let lastCaller = ""
  const enter = (name: string) => void (way.at(-1) === name || way.push(name))
  for (const [index, leg] of legs.entries()) {
    const first = packageOf((index === 0 ? leg[0]?.caller : undefined) ?? modules[index] ?? "")
    if (first !== lastCaller) enter(first)
    for (const call of leg.filter(isCrossing)) {
      lastCaller = packageOf(call.caller ?? "")
      enter(packageOf(call.file))
    }
  }
  return way
}
