/** Other programs that a benchmark measures beside ours. Nobody needs them otherwise: each is installed when it is first asked for. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"

export interface Peer {
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

/** None of their install scripts runs. */
const install = async (peer: Peer, folder: string): Promise<void> => {
  await fs.mkdir(folder, { recursive: true })
  await fs.writeFile(path.join(folder, "package.json"), "{}")
  const flags = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
  spawnSync("npm", ["install", ...flags, `${peer.name}@${peer.version}`], { cwd: folder, stdio: "inherit" })
}

/** Where a file of the peer is; null, and a line that says so, where the peer is not here and cannot be installed. */
export const find = async (peer: Peer, file: string): Promise<string | null> => {
  const folder = folderOf(peer)
  const found = path.join(folder, "node_modules", peer.name, file)
  if (!(await isThere(found))) await install(peer, folder)
  if (await isThere(found)) return found
  process.stderr.write(`${nameOf(peer)} cannot be installed, and is left out\n`)
  return null
}
