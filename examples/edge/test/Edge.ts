/** A real nginx with the configuration of this example, in a folder of its own, on sockets in place of ports. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import path from "node:path"
import { fileURLToPath } from "node:url"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"

export const configuration = fs.readFileSync(fileURLToPath(new URL("../nginx.conf", import.meta.url)), "utf8")

/** Whether nginx is installed; if not, prints so, even under CI: `.ci/run` installs nginx where possible. */
export const hasNginx = (): boolean => {
  const isHere = spawnSync("nginx", ["-v"]).status === 0
  if (!isHere) process.stderr.write("SKIPPED: examples/edge, because nginx is not on this machine\n")
  return isHere
}

/** Folders that nginx would else have where only root may write. */
const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path temp_${name};`)

const replace = (text: string, what: string, by: string): string => {
  if (!text.includes(what)) throw new Error(`nginx.conf has no ${what}`)
  return text.replace(what, by)
}

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export class Edge {
  /** Where the edge looks for its server: a test listens there, or nobody does. */
  readonly backend: string
  readonly #socket: string

  private constructor(folder: string) {
    this.backend = path.join(folder, "backend.sock")
    this.#socket = path.join(folder, "edge.sock")
  }

  /** `changes`: pairs of a text in the configuration and its replacement. */
  static async open(atEnd: AtEnd, changes: ReadonlyArray<readonly [string, string]> = []): Promise<Edge> {
    const folder = await temporaryFolder(atEnd)
    // Started as root, nginx runs its workers under another account.
    fs.chmodSync(folder, 0o755)
    const edge = new Edge(folder)
    const moved = [
      ["server 127.0.0.1:8080", `server unix:${edge.backend}`],
      ["listen 8000", `listen unix:${edge.#socket}`],
      ["http {", `http {\n${folders.join("\n")}`],
      ...changes
    ] as const
    const text = moved.reduce((before, [what, by]) => replace(before, what, by), configuration)
    fs.writeFileSync(path.join(folder, "nginx.conf"), text)
    const options = [
      "-p",
      folder,
      "-c",
      path.join(folder, "nginx.conf"),
      "-g",
      "daemon off; pid nginx.pid;",
      "-e",
      "stderr"
    ]
    const nginx = spawn("nginx", options, { stdio: ["ignore", "ignore", "inherit"] })
    const ended = once(nginx, "exit")
    atEnd(async () => {
      nginx.kill("SIGTERM")
      await ended
    })
    await eventually("nginx listens", () => edge.#accepts())
    return edge
  }

  /** The socket file appears before nginx listens. */
  async #accepts(): Promise<boolean> {
    const socket = net.connect(this.#socket)
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false
    )
    socket.destroy()
    return isOpen
  }

  /** A request whose body the caller writes. */
  request(method: string, url: string, headers: http.OutgoingHttpHeaders = {}): http.ClientRequest {
    return http.request({ socketPath: this.#socket, method, path: url, headers: { host: "edge.example", ...headers } })
  }

  async send(method: string, url: string, headers: http.OutgoingHttpHeaders = {}, body = ""): Promise<Answer> {
    const request = this.request(method, url, headers)
    request.end(body)
    const [response] = (await once(request, "response")) as [http.IncomingMessage]
    let text = ""
    for await (const piece of response.setEncoding("utf8")) text += piece
    return { status: response.statusCode ?? 0, headers: response.headers, text }
  }
}
