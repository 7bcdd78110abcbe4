/** Limbeck itself behind the edge: a server on a port, and a pipe to it from the socket where the edge looks. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as net from "node:net"
import { createInterface } from "node:readline"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Programs from "../../../packages/workshop/programs/Programs.ts"

const main = await Programs.made(new URL("../../../packages/cli/src/main.ts", import.meta.url))

export const token = "svc_test_0123456789abcdefghijklmnopqrstuv"

/** Serves at the place where the edge looks. */
export const listen = async (atEnd: AtEnd, server: net.Server, at: string) => {
  server.listen(at)
  await once(server, "listening")
  fs.chmodSync(at, 0o777)
  atEnd(() => void server.close())
}

/** Starts the server on memory; its port. */
const start = async (atEnd: AtEnd): Promise<number> => {
  const child = spawn(process.execPath, ["--conditions=@limbeck/source", main, "serve"], {
    env: { PATH: process.env["PATH"], PORT: "0", STORAGE: "memory", BOOTSTRAP_TEST_TOKEN: token, LOG_LEVEL: "warn" },
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = once(child, "exit")
  atEnd(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const lines: Array<string> = []
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(line))
  return Number(await eventually("the server listens", () => /listens on http\S+:(\d+)$/m.exec(lines.join("\n"))?.[1]))
}

export interface Backend {
  readonly port: number
  /** Which side has closed its end of the first connection. */
  readonly closedBy: Promise<"edge" | "server">
}

/**
 * The pipe delays the server's closing of a connection until the edge closes it too, or sends on it: then the connection
 * breaks. So a race between close and request always loses the request.
 */
export const serve = async (atEnd: AtEnd, at: string): Promise<Backend> => {
  const port = await start(atEnd)
  const { promise: closedBy, resolve } = Promise.withResolvers<"edge" | "server">()
  const pipe = net.createServer({ allowHalfOpen: true }, (edge) => {
    const server = net.connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    const close = () => {
      edge.destroy()
      server.destroy()
    }
    for (const end of [edge, server]) end.on("error", close)
    server.on("data", (bytes) => edge.write(bytes)).on("end", () => resolve("server"))
    edge.on("data", (bytes) => (server.readableEnded ? close() : server.write(bytes)))
    edge.on("end", () => {
      resolve("edge")
      close()
    })
  })
  await listen(atEnd, pipe, at)
  return { port, closedBy }
}
