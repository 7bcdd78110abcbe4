// Calls the server like its users.
// @effect-diagnostics globalFetch:off
/** What can be seen on this machine: folders, files, the port, the catalog and the trainer. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs/promises"
import { createServer } from "node:net"
import * as path from "node:path"
import * as RayCluster from "@limbeck/executors/ray/RayCluster"
import * as Effect from "effect/Effect"
import * as Catalogs from "../serve/Catalogs.ts"
import { childVariables, type Environment } from "../serve/Environment.ts"
import { urlOf } from "../serve/Listener.ts"
import type { Settings } from "../serve/Settings.ts"
import { type Finding, fault, good, skip, warning } from "./Finding.ts"

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The folder, or its nearest existing parent. */
const existing = async (folder: string): Promise<string> => {
  const at = path.resolve(folder)
  const isThere = await fs.stat(at).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" && path.dirname(at) !== at) return false
      throw error
    }
  )
  return isThere ? at : existing(path.dirname(at))
}

const folder = async (variable: string, name: string): Promise<Finding> => {
  try {
    const at = await existing(name)
    if (!(await fs.stat(at)).isDirectory()) return fault("folders", `${variable}: ${at} is no folder`)
    await fs.access(at, fs.constants.W_OK | fs.constants.X_OK)
    return good("folders", `${variable}: ${name} can be written`)
  } catch (error) {
    return fault("folders", `${variable}: ${messageOf(error)}; give the folder to the account of the server`)
  }
}

export const folders = ({ blobsDir, dataDir, journalDir, storage }: Settings): Promise<ReadonlyArray<Finding>> =>
  Promise.all([
    ...(storage === "memory" ? [] : [folder("DATA_DIR", dataDir)]),
    ...(blobsDir === null ? [] : [folder("BLOBS_DIR", blobsDir)]),
    ...(journalDir === null ? [] : [folder("JOURNAL_DIR", journalDir)])
  ])

const forOthers = 0o077

const secretFile = async (file: string): Promise<Finding> => {
  const mode = await fs.stat(file).then(
    (stat) => stat.mode,
    () => undefined
  )
  if (mode === undefined) return skip("secrets", `${file} is not there`)
  if ((mode & forOthers) === 0) return good("secrets", `${file} is its owner's alone`)
  return fault("secrets", `${file} can be read by others on this machine; run: chmod 600 ${file}`)
}

/** Files that hold secrets. */
export const secrets = ({ dataDir }: Settings): Promise<ReadonlyArray<Finding>> =>
  Promise.all([secretFile(path.join(dataDir, "encryption-key")), secretFile(path.resolve(".env"))])

/** Less is soon full of captured calls, should storage not answer. */
const freeBytesMin = 1024 ** 3

export const disk = async ({ dataDir }: Settings): Promise<Finding> => {
  try {
    const { bavail, bsize } = await fs.statfs(await existing(dataDir))
    const free = `${((bavail * bsize) / 1024 ** 3).toFixed(1)} GiB are free for DATA_DIR`
    return bavail * bsize < freeBytesMin ? warning("disk", `${free}; less than 1 GiB`) : good("disk", free)
  } catch (error) {
    return skip("disk", messageOf(error))
  }
}

export const catalog = async (settings: Settings): Promise<Finding> => {
  if (settings.catalogFile === null) return skip("catalog", "CATALOG_FILE is not set: the standard students")
  return Effect.runPromise(
    Effect.match(Catalogs.load(settings), {
      onFailure: ({ message }) => fault("catalog", message),
      onSuccess: () => good("catalog", `${settings.catalogFile} can be used`)
    })
  )
}

/** The first word: what the shell has to find. */
const programOf = (command: string): string => command.trim().split(/\s+/)[0] ?? ""

export const trainer = async (environment: Environment, settings: Settings): Promise<Finding> => {
  const { executor, ray, trainerCommand, trainerEnv } = settings
  if (executor === "stub") return skip("trainer", "EXECUTOR=stub: nothing is trained")
  if (ray !== null) return skip("trainer", "EXECUTOR=ray: TRAINER_COMMAND is started on the cluster")
  if (trainerCommand === null) return skip("trainer", "TRAINER_COMMAND is not set: only the builtin student is trained")
  const program = programOf(trainerCommand)
  const shell = spawn("/bin/sh", ["-c", `command -v -- "$0"`, program], {
    env: childVariables(environment, trainerEnv),
    stdio: "ignore"
  })
  const [code] = await once(shell, "close")
  return code === 0
    ? good("trainer", `${program} is there`)
    : fault("trainer", `TRAINER_COMMAND: the shell does not find ${program}; give its whole path`)
}

/** Whether the cluster's machines reach the folder is seen by the first run. */
export const ray = async ({ ray }: Settings): Promise<ReadonlyArray<Finding>> => {
  if (ray === null) return [skip("ray", "EXECUTOR is not ray")]
  const { address, sharedDir } = ray
  const cluster = Effect.match(RayCluster.version(address), {
    onFailure: (reason) => fault("ray", `RAY_ADDRESS: ${address}: no Ray cluster answers there (${reason})`),
    onSuccess: (version) => good("ray", `${address} answers, with Ray ${version}`)
  })
  return [await Effect.runPromise(cluster), await folder("RAY_SHARED_DIR", sharedDir)]
}

const isLimbeck = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) })
    const health = Object(await response.json())
    return "workers" in health && "storage" in health
  } catch {
    return false
  }
}

export const port = async ({ host, port }: Settings): Promise<Finding> => {
  const server = createServer()
  const taken = new Promise<NodeJS.ErrnoException>((resolve) => server.once("error", resolve))
  server.listen(port, host)
  const error = await Promise.race([
    taken,
    once(server, "listening").then(
      () => undefined,
      () => undefined
    )
  ])
  if (error === undefined) {
    server.close()
    return good("port", `${host}:${port} is free`)
  }
  if (error.code !== "EADDRINUSE") return fault("port", `HOST, PORT: ${error.message}`)
  return (await isLimbeck(urlOf(host, port)))
    ? good("port", `a server of ours listens on ${host}:${port}`)
    : fault("port", `PORT: another program listens on ${host}:${port}; choose another port`)
}
