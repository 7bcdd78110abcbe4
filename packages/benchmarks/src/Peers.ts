/** Other programs for comparison. Used only here: each is installed at its first use. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"

export interface Peer {
  readonly from: "npm" | "PyPI"
  readonly name: string
  readonly version: string
}

export const nameOf = ({ name, version }: Peer): string => `${name} ${version}`

/** `BENCH_PEERS`, or a folder that stays until the system clears it. Each version of a peer has its own in it. */
const folderOf = ({ name, version }: Peer): string =>
  path.join(
    process.env["BENCH_PEERS"] ?? path.join(os.tmpdir(), "limbeck-bench-peers"),
    `${name.replaceAll("/", "+")}@${version}`
  )

const isThere = (file: string): Promise<boolean> =>
  fs.access(file).then(
    () => true,
    () => false
  )

const run = (cwd: string, command: string, ...args: ReadonlyArray<string>) =>
  spawnSync(command, args, { cwd, stdio: "inherit" })

/** None of their install scripts runs. */
const install = async ({ from, name, version }: Peer, folder: string): Promise<void> => {
  await fs.mkdir(folder, { recursive: true })
  if (from === "PyPI") {
    run(folder, "python3", "-m", "venv", ".")
    run(folder, "bin/pip", "install", "--quiet", "--only-binary=:all:", `${name}==${version}`)
    return
  }
  await fs.writeFile(path.join(folder, "package.json"), "{}")
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
  run(folder, "npm", "install", ...flags, `${name}@${version}`)
}

/**
 * The path of a peer's file: in its package for npm, among the programs for PyPI. Null, with a printed line, if the peer
 * cannot be installed.
 */
export const find = async (peer: Peer, file: string): Promise<string | null> => {
  const folder = folderOf(peer)
  const found = path.join(folder, peer.from === "npm" ? path.join("node_modules", peer.name) : "bin", file)
  if (!(await isThere(found))) await install(peer, folder)
  if (await isThere(found)) return found
  process.stderr.write(`${nameOf(peer)} cannot be installed, and is left out\n`)
  return null
}
