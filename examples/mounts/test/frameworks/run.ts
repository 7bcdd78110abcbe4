// @effect-diagnostics globalFetch:off
/**
 * `npm run check:mounts`: the programs of docs/mounts inside of a real Next.js and a real NestJS, installed for it in a folder of
 * their own. Needs `npm run build` before, and some minutes.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../../../../packages/workshop/packed/Alone.ts"
import { install, specOf } from "../../../../packages/workshop/packed/Install.ts"
import * as Registry from "../../../../packages/workshop/packed/Registry.ts"
import { manifestOf, pack, root } from "../../../../packages/workshop/packed/Release.ts"
import { type Ask, assertOwn, assertServed } from "../Served.ts"
import * as Hosts from "./Hosts.ts"

const packages = [
  ...[
    "next@16.4.6",
    "react@19.3.1",
    "react-dom@19.3.1",
    "typescript@5.9.3",
    "@types/react@19.3.0",
    "@types/node@24.19.2"
  ],
  ...["@nestjs/core@12.5.1", "@nestjs/common@12.5.1", "@nestjs/platform-express@12.5.1"],
  ...["reflect-metadata@0.2.2", "rxjs@7.8.2"]
]

const home = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-mounts-"))
const [packs, folder] = [path.join(home, "packs"), path.join(home, "app")]
const environment = {
  ...process.env,
  ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
  NEXT_TELEMETRY_DISABLED: "1"
}

const start = (port: number, ...command: ReadonlyArray<string>): ChildProcess =>
  spawn(process.execPath, command, {
    cwd: folder,
    env: { ...environment, PORT: String(port) },
    stdio: ["ignore", "pipe", "inherit"]
  })

/** Asks the server that listens on the port, until it does. */
const asking = async (port: number, child: ChildProcess): Promise<Ask> => {
  const ask: Ask = (url, init) => fetch(`http://127.0.0.1:${port}${url}`, init)
  while (child.exitCode === null) {
    const listens = await ask("/orders").then(
      () => true,
      () => false
    )
    if (listens) return ask
    await setTimeout(200)
  }
  throw new Error("the server ended before it listened")
}

const serves = async (
  name: string,
  command: ReadonlyArray<string>,
  tokenOf: (ask: Ask, child: ChildProcess) => Promise<string>
) => {
  const port = await freePort()
  const child = start(port, ...command)
  const exited = once(child, "exit")
  try {
    const ask = await asking(port, child)
    await assertServed(ask, await tokenOf(ask, child))
    await assertOwn(ask)
    process.stdout.write(`${name}\n`)
  } finally {
    child.kill("SIGKILL")
    await exited
  }
}

const next = "node_modules/next/dist/bin/next"

try {
  fs.mkdirSync(packs)
  const all = pack(root, packs)
  const registry = await Registry.serve(packs, all, (one) => manifestOf(root, one))
  await install(folder, [specOf(packs, all, "limbeck"), ...packages], registry.url).finally(registry.close)
  // Next.js checks the types of all that is in its folder.
  Hosts.write(folder, Hosts.next())
  execFileSync(process.execPath, [next, "build"], { cwd: folder, env: environment, stdio: ["ignore", 2, 2] })
  await serves("a real Next.js serves the API beside its own routes (P349)", [next, "start"], async (ask) =>
    (await ask("/token")).text()
  )
  Hosts.write(folder, Hosts.nest())
  await serves("a real NestJS serves the API beside its own routes (P349)", ["nest/main.js"], async (_, child) =>
    String((await once(child.stdout!, "data"))[0]).trim()
  )
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}
