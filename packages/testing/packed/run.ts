/**
 * `npm run check:packed`: packs every package as npm would publish it, and uses the packs as somebody does who installs them: plain Node
 * imports each module, and TypeScript checks an example against the declarations. Needs `npm run build` before.
 */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"

const root = path.resolve(import.meta.dirname, "../../..")
const home = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-packed-"))
const modules = path.join(home, "node_modules")
const say = (line: string) => process.stdout.write(`${line}\n`)

/** All that a pack may hold. */
const expected = [/^(package\.json|README\.md|LICENSE|schema\.sql)$/, /^src\/.+\.ts$/, /^dist\/.+\.(js|d\.ts)(\.map)?$/]

/** Not to be imported by Node alone: one is the body of a thread, the others belong to Vitest. */
const special = /^(executors\/dist\/builtin\/TrainingWorker\.js$|testing\/)/

interface Pack {
  readonly name: string
  readonly filename: string
  readonly files: ReadonlyArray<{ readonly path: string }>
}

const packAll = (): ReadonlyArray<Pack> => {
  const workspaces = fs.readdirSync(path.join(root, "packages")).map((name) => `--workspace=packages/${name}`)
  const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", home, ...workspaces]
  return JSON.parse(execFileSync("npm", pack, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }))
}

const unpack = ({ filename, name }: Pack) => {
  const place = path.join(modules, name)
  fs.mkdirSync(place, { recursive: true })
  execFileSync("tar", ["-xzf", path.join(home, filename), "--strip-components=1", "-C", place])
}

const wrongFiles = ({ name, ...pack }: Pack): ReadonlyArray<string> => {
  const files = pack.files.map((file) => file.path)
  const isOutput = (file: string) => /^dist\/.+\.js$/.test(file)
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
const linkOthers = () => {
  const theirs = path.join(root, "node_modules")
  for (const name of fs.readdirSync(theirs).filter((name) => name !== "@limbeck" && !name.startsWith("."))) {
    fs.symlinkSync(path.join(theirs, name), path.join(modules, name))
  }
}

const importAll = async (): Promise<ReadonlyArray<string>> => {
  const scope = path.join(modules, "@limbeck")
  const outputs = fs.readdirSync(scope, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".js"))
  const wrong: Array<string> = []
  for (const file of outputs.filter((file) => !special.test(file))) {
    await import(pathToFileURL(path.join(scope, file)).href).catch((error) => wrong.push(`${file}: ${error}`))
  }
  return wrong
}

const options = ["--noEmit", "--strict", "--target", "es2023", "--module", "nodenext", "--types", "node", "main.ts"]

const checkTypes = (): ReadonlyArray<string> => {
  fs.copyFileSync(path.join(root, "examples/embed-node/src/main.ts"), path.join(home, "main.ts"))
  fs.writeFileSync(path.join(home, "package.json"), JSON.stringify({ type: "module" }))
  try {
    execFileSync(path.join(root, "node_modules/.bin/tsc"), options, { cwd: home, encoding: "utf8", stdio: "pipe" })
    return []
  } catch (error) {
    return [String((error as { readonly stdout: unknown }).stdout)]
  }
}

try {
  const packs = packAll()
  packs.forEach(unpack)
  linkOthers()
  const wrong = [...packs.flatMap(wrongFiles), ...(await importAll()), ...checkTypes()]
  for (const line of wrong) say(line)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  fs.rmSync(home, { recursive: true, force: true })
}
