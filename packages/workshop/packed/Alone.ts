// @effect-diagnostics globalFetch:off
/** The webhook engine alone: examples/webhooks-only runs with only its declared dependencies. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { installed, linkOthers, type Pack, root, unpack } from "./Release.ts"

const subjects = ["@limbeck/capture", "@limbeck/distill", "@limbeck/serving", "@limbeck/chat"]

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // A listening server has a port.
  server.close()
  await once(server, "close")
  return port
}

/** Starts the example, asks it for its health, and stops it. */
const run = async (folder: string): Promise<ReadonlyArray<string>> => {
  const port = await freePort()
  const env = { ...process.env, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), PORT: String(port) }
  const shop = spawn(process.execPath, ["src/main.ts"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] })
  const exited = once(shop, "exit")
  try {
    const started = await Promise.race([once(shop.stdout, "data"), exited.then(() => undefined)])
    if (started === undefined) return ["the webhook engine alone does not start"]
    const { status } = await fetch(`http://127.0.0.1:${port}/webhooks/healthz`)
    return status === 200 ? [] : [`the webhook engine alone has the health ${status}`]
  } finally {
    shop.kill("SIGTERM")
    await exited
  }
}

/** `packed`: where the packs lie. */
export const faults = async (
  folder: string,
  packed: string,
  packs: ReadonlyArray<Pack>
): Promise<ReadonlyArray<string>> => {
  const engine = installed(packs, "examples/webhooks-only/package.json")
  for (const pack of engine) unpack(packed, pack, folder)
  linkOthers(folder)
  fs.cpSync(path.join(root, "examples/webhooks-only/src"), path.join(folder, "src"), { recursive: true })
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify({ type: "module" }))
  return [
    ...engine.filter(({ name }) => subjects.includes(name)).map(({ name }) => `webhooks-only installs ${name}`),
    ...(await run(folder))
  ]
}
