// @effect-diagnostics globalFetch:off
/**
 * `npm run check:packed`: packs every package as npm would publish it, and uses the packs as somebody does who installs them: plain Node
 * imports each module, TypeScript checks an example against the declarations, and the webhook engine alone runs where nothing else is
 * installed. Needs `npm run build` before.
 */
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

const root = path.resolve(import.meta.dirname, "../../..")
const home = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-packed-"))
const whole = path.join(home, "whole")
const alone = path.join(home, "alone")
const say = (line: string) => process.stdout.write(`${line}\n`)

/** All that a pack may hold; of the dashboard the page that was built. */
const expected = [
  ...[/^(package\.json|README\.md|LICENSE|schema\.sql)$/, /^src\/.+\.ts$/, /^dist\/.+\.(js|d\.ts)(\.map)?$/],
  /^dist\/page\/(index\.html|assets\/[^/]+)$/
]

/** Not to be imported by Node alone: bodies of threads, a program, a page, and what belongs to Vitest. */
const special =
  /^(executors\/dist\/builtin\/TrainingWorker\.js$|node\/dist\/reward\/CheckingWorker\.js$|cli\/dist\/main\.js$|dashboard\/dist\/page\/|testing\/)/

interface Pack {
  readonly name: string
  readonly filename: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const packAll = (): ReadonlyArray<Pack> => {
  const workspaces = fs.readdirSync(path.join(root, "packages")).map((name) => `--workspace=packages/${name}`)
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", home, ...workspaces]
  return JSON.parse(execFileSync("npm", pack, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
}

const unpack = (folder: string, { filename, name }: Pack) => {
  const place = path.join(folder, "node_modules", name)
  fs.mkdirSync(place, { recursive: true })
  execFileSync("tar", ["-xzf", path.join(home, filename), "--strip-components=1", "-C", place])
}

const wrongFiles = ({ name, ...pack }: Pack): ReadonlyArray<string> => {
  const files = pack.files.map((file) => file.path)
  const isOutput = (file: string) => /^dist\/(?!page\/).+\.js$/.test(file)
  return [
    ...["README.md", "LICENSE"].filter((file) => !files.includes(file)).map((file) => `${name} lacks ${file}`),
    ...files.filter((file) => !expected.some((form) => form.test(file))).map((file) => `${name} has ${file}`),
    // A module that is no more leaves its output behind.
    ...files
      .filter((file) => isOutput(file) && !files.includes(file.replace(/^dist(.+)js$/, "src$1ts")))
      .map((file) => `${name} has ${file}, but no source of it: \`npm run build\` builds from nothing`)
  ]
}

/** Packages of others are those of the repository. */
const linkOthers = (folder: string) => {
  const theirs = path.join(root, "node_modules")
  for (const name of fs.readdirSync(theirs).filter((name) => name !== "@limbeck" && !name.startsWith("."))) {
    fs.symlinkSync(path.join(theirs, name), path.join(folder, "node_modules", name))
  }
}

const importAll = async (): Promise<ReadonlyArray<string>> => {
  const scope = path.join(whole, "node_modules/@limbeck")
  const outputs = fs.readdirSync(scope, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"))
  const wrong: Array<string> = []
  for (const file of outputs.filter((file) => !special.test(file))) {
    await import(pathToFileURL(path.join(scope, file)).href).catch((error) => wrong.push(`${file}: ${error}`))
  }
  return wrong
}

const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--types", "node", "main.ts"]

const checkTypes = (): ReadonlyArray<string> => {
  fs.copyFileSync(path.join(root, "examples/embed-node/src/main.ts"), path.join(whole, "main.ts"))
  fs.writeFileSync(path.join(whole, "package.json"), JSON.stringify({ type: "module" }))
  try {
    execFileSync(path.join(root, "node_modules/.bin/tsc"), options, { cwd: whole, encoding: "utf8", stdio: "pipe" })
    return []
  } catch (error) {
    return [String((error as { readonly stdout: unknown }).stdout)]
  }
}

/** What npm installs of ours for a package.json: its dependencies and theirs, but no optional peers. */
const installed = (packs: ReadonlyArray<Pack>, manifest: string): ReadonlyArray<Pack> => {
  const found = new Map<string, Pack>()
  const add = (file: string) => {
    const { dependencies = {} } = JSON.parse(fs.readFileSync(file, "utf8"))
    for (const pack of packs.filter(({ name }) => name in dependencies && !found.has(name))) {
      found.set(pack.name, pack)
      add(path.join(root, "packages", path.basename(pack.name), "package.json"))
    }
  }
  add(path.join(root, manifest))
  return [...found.values()]
}

const subjects = ["@limbeck/capture", "@limbeck/distill", "@limbeck/serving", "@limbeck/chat"]

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KB`

const sizeOf = (what: string, packs: ReadonlyArray<Pack>) => {
  const packed = packs.reduce((sum, { size }) => sum + size, 0)
  const unpacked = packs.reduce((sum, { unpackedSize }) => sum + unpackedSize, 0)
  return `${what}: ${packs.length} packs of ours, ${kilobytes(packed)}, ${kilobytes(unpacked)} unpacked`
}

/** Starts the example in a folder of its own, asks it for its health, and stops it. */
const runAlone = async (packs: ReadonlyArray<Pack>): Promise<ReadonlyArray<string>> => {
  for (const pack of packs) unpack(alone, pack)
  linkOthers(alone)
  fs.cpSync(path.join(root, "examples/webhooks-only/src"), path.join(alone, "src"), { recursive: true })
  fs.writeFileSync(path.join(alone, "package.json"), JSON.stringify({ type: "module" }))
  const port = await freePort()
  const env = { ...process.env, ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"), PORT: String(port) }
  const shop = spawn(process.execPath, ["src/main.ts"], { cwd: alone, env, stdio: ["ignore", "pipe", "inherit"] })
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

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // It listens on a port, so it has one.
  server.close()
  await once(server, "close")
  return port
}

try {
  const packs = packAll()
  for (const pack of packs) unpack(whole, pack)
  linkOthers(whole)
  const engine = installed(packs, "examples/webhooks-only/package.json")
  const library = installed(packs, "packages/limbeck/package.json")
  const wrong = [
    ...packs.flatMap(wrongFiles),
    ...(await importAll()),
    ...checkTypes(),
    ...engine.filter(({ name }) => subjects.includes(name)).map(({ name }) => `webhooks-only installs ${name}`),
    ...(await runAlone(engine))
  ]
  say(sizeOf("examples/webhooks-only", engine))
  say(sizeOf("@limbeck/limbeck", library))
  for (const line of wrong) say(line)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}
