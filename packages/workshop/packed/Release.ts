/** A trial release in a copy of this tree: the next version by `npm run release`, and npm's packs. */
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { folderOf, publicPackages } from "./Public.ts"

export const root = path.resolve(import.meta.dirname, "../../..")

/** What `npm pack --json` says of a package. */
export interface Pack {
  readonly name: string
  readonly version: string
  readonly filename: string
  readonly integrity: string
  readonly size: number
  readonly unpackedSize: number
  readonly files: ReadonlyArray<{ readonly path: string }>
}

/** The used part of a package.json. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const run = (cwd: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 * 1024 ** 2 })

const packages = publicPackages(root)

/** Tracked and untracked files, and build outputs. */
const copyTo = (tree: string) => {
  const listed = run(root, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
  for (const file of listed.filter((file) => file !== "" && fs.existsSync(path.join(root, file)))) {
    fs.mkdirSync(path.dirname(path.join(tree, file)), { recursive: true })
    fs.cpSync(path.join(root, file), path.join(tree, file), { preserveTimestamps: true })
  }
  for (const built of packages.map((name) => path.join("packages", name, "dist"))) {
    if (!fs.existsSync(path.join(root, built))) throw new Error(`${built} is not there: npm run build makes it`)
    fs.cpSync(path.join(root, built), path.join(tree, built), { recursive: true, preserveTimestamps: true })
  }
}

/** Links third-party packages of the repository's `node_modules` into a folder's. */
export const linkOthers = (folder: string) => {
  const [theirs, ours] = [path.join(root, "node_modules"), path.join(folder, "node_modules")]
  fs.mkdirSync(ours, { recursive: true })
  for (const name of fs
    .readdirSync(theirs)
    .filter((name) => name === ".bin" || !/^(?:\.|@limbeck$|limbeck$)/.test(name))) {
    fs.symlinkSync(path.join(theirs, name), path.join(ours, name))
  }
}

const linkOurs = (tree: string) => {
  fs.mkdirSync(path.join(tree, "node_modules/@limbeck"))
  for (const folder of packages) {
    const { name } = JSON.parse(fs.readFileSync(path.join(tree, "packages", folder, "package.json"), "utf8"))
    fs.symlinkSync(path.join(tree, "packages", folder), path.join(tree, "node_modules", name))
  }
}

/** Changesets asks git which commit brought a change. */
const commit = (tree: string) => {
  const author = ["-c", "user.name=release", "-c", "user.email=release@localhost"]
  run(tree, "git", "init", "-q")
  run(tree, "git", "add", "-A")
  run(tree, "git", ...author, "commit", "-q", "--no-verify", "-m", "what is released")
}

/** What npm would publish of a tree, put into `packs`. */
export const pack = (tree: string, packs: string): ReadonlyArray<Pack> => {
  const workspaces = packages.map((name) => `--workspace=packages/${name}`)
  return JSON.parse(run(tree, "npm", "pack", "--json", "--ignore-scripts", "--pack-destination", packs, ...workspaces))
}

/** Makes the release in `tree`, an empty folder, and puts its packs into `packs`. */
export const make = (tree: string, packs: string): ReadonlyArray<Pack> => {
  copyTo(tree)
  linkOthers(tree)
  linkOurs(tree)
  commit(tree)
  run(tree, "npm", "run", "--silent", "release")
  // The release has changed a string in a source of this package, whose types were checked before. The bundle has it too.
  run(tree, path.join(root, "node_modules/.bin/tsc"), "-p", "packages/server", "--noCheck")
  run(tree, "node", "packages/workshop/programs/bundleProgram.ts")
  return pack(tree, packs)
}

export const manifestOf = (tree: string, { name }: Pack): Manifest =>
  JSON.parse(fs.readFileSync(path.join(tree, "packages", folderOf(tree, name), "package.json"), "utf8"))

/**
 * Our packages that npm installs for a package.json of the repository: its dependencies and theirs, without optional peers.
 */
export const installed = (packs: ReadonlyArray<Pack>, manifest: string): ReadonlyArray<Pack> => {
  const read = (file: string) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"))
  const found = new Map<string, Pack>()
  const add = (dependencies: object = {}) => {
    for (const pack of packs.filter(({ name }) => name in dependencies && !found.has(name))) {
      found.set(pack.name, pack)
      add(read(`packages/${folderOf(root, pack.name)}/package.json`).dependencies)
    }
  }
  const { dependencies, devDependencies } = read(manifest)
  add({ ...dependencies, ...devDependencies })
  return [...found.values()]
}

/** The output of a repository tool that fails in a folder; empty on success. */
export const failureOf = (folder: string, tool: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  try {
    run(folder, path.join(root, "node_modules/.bin", tool), ...args)
    return []
  } catch (error) {
    const { stderr, stdout } = error as { readonly stderr: unknown; readonly stdout: unknown } // Of execFileSync.
    return [`${tool}: ${stdout}${stderr}`]
  }
}

/** Puts a pack, which lies in the folder `packs`, where npm would. */
export const unpack = (packs: string, { filename, name }: Pack, folder: string) => {
  const place = path.join(folder, "node_modules", name)
  fs.mkdirSync(place, { recursive: true })
  execFileSync("tar", ["-xzf", path.join(packs, filename), "--strip-components=1", "-C", place])
}
