/** Ferro, a Go gateway from PyPI, run here without storage, in its own process. Its CPU is read from `/proc`. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch } from "undici"
import type { Subject } from "./Child.ts"
import * as Peers from "./Peers.ts"
import { processCpuMicros, residentBytes } from "./PostgresUsage.ts"

const peer: Peers.Peer = { from: "PyPI", name: "ferrogw", version: "1.5.10" }

export const name = Peers.nameOf(peer)

/** It supports no system-assigned port. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await new Promise((closed) => server.close(closed))
  return port
}

const ready = async (origin: string, child: ChildProcess): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`)
    const isReady = await fetch(`${origin}/readyz`)
      .then(({ ok }) => ok)
      .catch(() => false)
    if (isReady) return
    await sleep(50)
  }
}

/** In front of an upstream; null if it cannot be installed, or without `/proc`. */
export const start = async (upstream: string): Promise<Subject | null> => {
  const program = process.platform === "linux" ? await Peers.find(peer, "ferrogw") : null
  if (program === null) return null
  const port = await freePort()
  const child = spawn(program, ["serve"], {
    cwd: path.dirname(program),
    env: {
      HOST: "127.0.0.1",
      PORT: String(port),
      OPENAI_API_KEY: "sk-bench-key",
      OPENAI_BASE_URL: upstream,
      MASTER_KEY: `fgw_${"0".repeat(32)}`,
      ALLOW_UNAUTHENTICATED_PROXY: "true",
      RATE_LIMIT_RPS: "1000000",
      RATE_LIMIT_BURST: "1000000",
      LOG_LEVEL: "error"
    },
    stdio: "ignore"
  })
  const ended = once(child, "exit")
  const origin = `http://127.0.0.1:${port}`
  await ready(origin, child)
  const pid = child.pid! // It answers, so it was started.
  return {
    origin,
    usage: async () => ({ cpuMicros: await processCpuMicros(pid), rssBytes: await residentBytes(pid) }),
    stop: async () => {
      child.kill("SIGTERM")
      await ended
    }
  }
}
