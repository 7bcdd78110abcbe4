/** The trainer in its virtual environment, the base model, and a server that trains with them: all in folders that are ours. */
import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))
const main = pathOf("../../../packages/cli/src/main.ts")

export const student = "limbeck/tiny"

/** The Python with the trainer; the first call installs some 6 GB of packages. */
export const python = (): string => execFileSync(pathOf("../../../trainers/trl/venv.sh"), { encoding: "utf8" }).trim()

/** Makes the base model in a minute or two, unless it exists. */
export const makeBase = (python: string, models: string): void =>
  void execFileSync(python, [pathOf("../base.py"), models], { stdio: ["ignore", "ignore", "ignore"] })

export interface Server {
  readonly baseUrl: string
  readonly token: string
  readonly stop: () => Promise<void>
}

export const start = async (python: string, models: string, folder: string): Promise<Server> => {
  const catalog = join(folder, "catalog.json")
  writeFileSync(
    catalog,
    JSON.stringify({
      students: [
        { id: student, parameters: 170_000, context_length: 1024, license: "MIT", stages: ["sft", "eval", "publish"] }
      ]
    })
  )
  const token = `svc_live_${randomBytes(24).toString("hex")}`
  const child = spawn(process.execPath, ["--conditions=@limbeck/source", main, "serve"], {
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      OMP_NUM_THREADS: "1",
      PORT: "0",
      STORAGE: "memory",
      DATA_DIR: join(folder, "data"),
      BOOTSTRAP_LIVE_TOKEN: token,
      CATALOG_FILE: catalog,
      // The teacher is on this machine.
      EGRESS_ALLOW: "127.0.0.0/8",
      TRAINER_COMMAND: `exec "${python}" -m limbeck_trainer --models-dir "${models}"`,
      TRAINER_REHEARSALS: "on",
      SERVING_COMMAND: `"${python}" -m limbeck_trainer serve`,
      MODELS_DIR: models,
      LOG_LEVEL: "warn"
    },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const baseUrl = await new Promise<string>((resolve, reject) => {
    ended.then(() => reject(new Error("The server ended")))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const origin = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
      if (origin !== undefined) resolve(origin)
    })
  })
  const stop = async () => {
    child.kill("SIGTERM")
    await ended
  }
  return { baseUrl, token, stop }
}
