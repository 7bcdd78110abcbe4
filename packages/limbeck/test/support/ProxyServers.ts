/** Proxy servers as separate processes, all on one schema and one journal folder; and their model. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import * as Programs from "../../../workshop/programs/Programs.ts"
import type { ProxyServerOptions, Ready } from "../fixtures/ProxyServer.ts"

const program = await Programs.made(new URL("../fixtures/ProxyServer.ts", import.meta.url))

export const token = "svc_test_0123456789abcdefghijklmnopqrstuv"

export const temporaryFolder = (atEnd: AtEnd, name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `limbeck-${name}-`))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A model with this name that echoes questions, whole or in three pieces; returns its base URL. */
export const model = async (atEnd: AtEnd, name = "m"): Promise<string> => {
  const server = createServer(async (request, response) => {
    const asked = (await request.toArray()).join("")
    const answer = JSON.stringify({
      id: "chatcmpl-1",
      model: name,
      choices: [{ message: { role: "assistant", content: asked } }]
    })
    if (!asked.includes('"stream":true')) {
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) })
      response.end(answer)
      return
    }
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const piece of [asked, " "]) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: piece } }] })}\n\n`)
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end("data: [DONE]\n\n")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` // It listens on a port.
}

export class ProxyServer {
  readonly #child: ChildProcess
  readonly said: Array<string> = []
  readonly origin: Promise<string>

  constructor(options: ProxyServerOptions) {
    this.#child = fork(program, [JSON.stringify(options)], {
      execArgv: ["--conditions=@limbeck/source"],
      stdio: ["ignore", "pipe", "pipe", "ipc"]
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (text) => this.said.push(`${text}`))
    // Only a server writes here, and it writes this.
    const ready = once(this.#child, "message").then(([said]) => (said as Ready).origin)
    const death = once(this.#child, "exit").then(() => Promise.reject(new Error(`It ended: ${this.said.join("")}`)))
    this.origin = Promise.race([ready, death])
    this.origin.catch(() => {})
    death.catch(() => {})
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** kill -9 by default. */
  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const ended = once(this.#child, "exit")
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill(signal)
    await ended
  }
}

/** Starts servers, and ends the remaining ones. */
export const open = (atEnd: AtEnd, options: ProxyServerOptions) => {
  const all: Array<ProxyServer> = []
  atEnd(async () => {
    await Promise.all(all.map((server) => server.end()))
  })
  return {
    all,
    start: (): ProxyServer => {
      const server = new ProxyServer(options)
      all.push(server)
      return server
    }
  }
}
