/** The standalone server as a child process, with temporary data of its own. */
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { BrokenClaim } from "./Claims.ts"

const main = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url))

/** Longer than the server gives requests under way to end. */
const stopMillis = 15_000
const tailLines = 20
/** What the server wrote last comes a moment after its end. */
const logMillis = 50

/** The child gets only our settings: no variable of another server leaks in. */
const inherited = ["PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ", "NODE_COMPILE_CACHE"]

interface Server {
  readonly origin: string
  readonly liveToken: string
  /** SIGTERM; answers the exit code, or the signal that it took. */
  readonly stop: () => Promise<number | NodeJS.Signals | null>
}

export interface StartedServer {
  readonly listening: Promise<Server>
  /** Stops a running server, and removes its data. */
  readonly cleanUp: () => Promise<void>
}

/** A token that the server is given: its prefix and random letters. */
const tokenFor = (mode: "live" | "test") => `svc_${mode}_${randomBytes(24).toString("hex")}`

/**
 * `certificate`: of an additional trusted authority. `onDeath` receives the last lines of the log if the server ends
 * unasked.
 */
export const start = async (certificate: string, onDeath: (reason: Error) => void): Promise<StartedServer> => {
  const dataDir = await mkdtemp(join(tmpdir(), "limbeck-tour-"))
  const authorities = join(dataDir, "authorities.pem")
  await writeFile(authorities, certificate)
  const liveToken = tokenFor("live")
  const environment = {
    PORT: "0",
    STORAGE: "embedded",
    DATA_DIR: dataDir,
    BOOTSTRAP_LIVE_TOKEN: liveToken,
    BOOTSTRAP_TEST_TOKEN: tokenFor("test"),
    // The teacher and the receiver are on this machine.
    EGRESS_ALLOW: "127.0.0.0/8",
    NODE_EXTRA_CA_CERTS: authorities,
    LOG_LEVEL: "warn",
    LOG_FORMAT: "json"
  }
  const child = spawn(process.execPath, ["--conditions=@limbeck/source", main, "serve"], {
    env: { ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])), ...environment },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const tail: Array<string> = []
  const keep = (line: string) => {
    tail.push(line)
    if (tail.length > tailLines) tail.shift()
  }
  let asked = false
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? signal))
  })
  ended.then(async (outcome) => {
    await sleep(logMillis)
    if (!asked) onDeath(new BrokenClaim(`The server ended early (${outcome}):\n${tail.join("\n")}`))
  })

  const stop = async () => {
    asked = true
    child.kill("SIGTERM")
    const late = new AbortController()
    sleep(stopMillis, undefined, { signal: late.signal }).then(
      () => child.kill("SIGKILL"),
      () => {}
    )
    return ended.finally(() => late.abort())
  }

  const listening = new Promise<Server>((resolve) => {
    createInterface({ input: child.stderr }).on("line", keep)
    createInterface({ input: child.stdout }).on("line", (line) => {
      keep(line)
      const origin = /^Limbeck listens on (http\S+)$/.exec(line)?.[1]
      if (origin !== undefined) resolve({ origin, liveToken, stop })
    })
  })

  return {
    listening,
    cleanUp: async () => {
      await stop()
      // The database of a server that died on the way up may still be writing for a moment.
      await rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  }
}
