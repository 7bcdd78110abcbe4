/**
 * A content of 1,000,000 rows and a little more than 1 GiB to a real server: cut in the middle, gone on with, read, and built
 * into a version; and pulled by it from another server. With its most memory in each part. Blobs are in Postgres, and then in a
 * folder.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { Readable } from "node:stream"
import { setTimeout as sleep } from "node:timers/promises"
import { fetch } from "undici"
import * as Child from "./Child.ts"
import * as Content from "./Content.ts"
import * as Postgres from "./Postgres.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const rows = Number(process.env["BENCH_ROWS"] ?? 1_000_000)
const bytes = Content.bytesOf(rows)

const testToken = token.replace("live", "test")

const headers = { authorization: `Bearer ${token}` }

const call = async (
  origin: string,
  method: string,
  route: string,
  body?: object,
  authority = token
): Promise<Record<string, unknown>> => {
  const answer = await fetch(`${origin}/v1/distill/${route}`, {
    method,
    headers: {
      authorization: `Bearer ${authority}`,
      "content-type": "application/json",
      ...(body === undefined ? {} : { "idempotency-key": randomUUID() })
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${text}`)
  // Our own server answers objects.
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>)
}

/** Sends the bytes from `from` to before `to`; with `cut`, says that more would follow, and breaks off. */
const send = (origin: string, id: string, from: number, to: number, cut: boolean): Promise<void> =>
  new Promise((resolve, reject) => {
    const length = (cut ? bytes : to) - from
    const sending = request(`${origin}/v1/distill/uploads/${id}/content`, {
      method: "PUT",
      headers: {
        ...headers,
        "content-length": length,
        "content-range": `bytes ${from}-${from + length - 1}/${bytes}`
      }
    })
    sending.on("response", (response) => {
      response.resume()
      response.on("end", () =>
        response.statusCode === 202 ? resolve() : reject(new Error(`the content was answered ${response.statusCode}`))
      )
    })
    sending.on("error", (error) => (cut ? resolve() : reject(error)))
    const content = Readable.from(Content.chunks(rows, from, to))
    content.pipe(sending, { end: !cut })
    if (cut) content.on("end", () => sending.destroy())
  })

const settled = async (origin: string, route: string, open: ReadonlyArray<string>, authority = token) => {
  for (;;) {
    const found = await call(origin, "GET", route, undefined, authority)
    if (!open.includes(String(found["status"]))) return found
    await sleep(100)
  }
}

interface Step {
  readonly name: string
  readonly seconds: number
  readonly cpuMicros: number
  readonly peakBytes: number
}

const measured = async (child: Child.Child, name: string, work: () => Promise<unknown>): Promise<Step> => {
  await child.ask<number>({ kind: "peak" })
  const before = performance.now()
  const { cpuMicros } = await Child.spending(child, work)
  return {
    name,
    seconds: (performance.now() - before) / 1000,
    cpuMicros,
    peakBytes: await child.ask<number>({ kind: "peak" })
  }
}

const expect = (what: string, actual: unknown, expected: unknown) => {
  if (actual !== expected) throw new Error(`${what} is ${String(actual)}, not ${String(expected)}`)
}

/** Serves the content, as a connector's server would. */
const serving = async <A>(use: (url: string) => Promise<A>): Promise<A> => {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-length": bytes })
    Readable.from(Content.chunks(rows)).pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/rows.jsonl`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const pull = ({ origin }: Child.Child, sha256: string) =>
  serving(async (url) => {
    const connector = { name: "export", kind: "http_jsonl", config: { url } }
    const { id } = await call(origin, "POST", "connectors", connector, testToken)
    const begun = await call(origin, "POST", `connectors/${String(id)}/pulls`, {}, testToken)
    const pulled = await settled(origin, `pulls/${String(begun["id"])}`, ["queued", "running"], testToken)
    expect("the pull", pulled["status"], "succeeded")
    expect("the digest", pulled["sha256"], sha256)
  })

const scenario = async (child: Child.Child, sha256: string, isBuilt: boolean): Promise<ReadonlyArray<Step>> => {
  const { origin } = child
  const announced = { filename: "rows.jsonl", format: "chat_jsonl", bytes, sha256 }
  const id = String((await call(origin, "POST", "uploads", announced))["id"])
  const offset = async () => {
    const head = await fetch(`${origin}/v1/distill/uploads/${id}/content`, { method: "HEAD", headers })
    return Number(head.headers.get("upload-offset"))
  }
  const steps = [
    await measured(child, "idle", () => sleep(1000)),
    await measured(child, "first half, cut", () => send(origin, id, 0, Math.floor(bytes / 2), true)),
    await measured(child, "the rest", async () => send(origin, id, await offset(), bytes, false)),
    await measured(child, "reading the lines", async () => {
      const upload = await settled(origin, `uploads/${id}`, ["processing"])
      expect("the upload", upload["status"], "succeeded")
      expect("the digest", upload["sha256"], sha256)
      expect("the number of rows", upload["rows"], rows)
    })
  ]
  const pulled = await measured(child, "pulled and read", () => pull(child, sha256))
  if (!isBuilt) return [...steps, pulled]
  const dataset = String((await call(origin, "POST", "datasets", { name: "tickets" }))["id"])
  const build = await measured(child, "a version of it", async () => {
    const version = await call(origin, "POST", `datasets/${dataset}/versions`, { from: { upload: id } })
    const built = await settled(origin, `dataset_versions/${String(version["id"])}`, ["building"])
    expect("the version", built["status"], "ready")
  })
  return [...steps, pulled, build]
}

const show = (label: string, steps: ReadonlyArray<Step>) => {
  const shareOf = (name: string) => (name === "idle" ? 0 : /half|rest/.test(name) ? bytes / 2 : bytes)
  Table.print(
    `${rows} rows, ${Table.mebibytes(bytes)}, blobs in ${label}`,
    ["part", "s", "MB/s", "CPU s/GB", "most RSS"],
    steps.map(({ cpuMicros, name, peakBytes, seconds }) => {
      const share = shareOf(name)
      return [
        name,
        Table.figure(seconds, 1),
        share === 0 ? "" : Table.figure(share / seconds / 1e6, 0),
        share === 0 ? "" : Table.figure(cpuMicros / 1e6 / (share / 1e9), 2),
        Table.mebibytes(peakBytes)
      ]
    })
  )
}

const run = (place: "Postgres" | "folder", sha256: string, isBuilt: boolean) =>
  Postgres.use(async (url) => {
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), "limbeck-blobs-"))
    const child = await Child.start(
      new URL("upload-server.ts", import.meta.url),
      [url, place === "folder" ? directory : ""],
      Child.serverFlags,
      Child.serverEnvironment
    )
    try {
      show(place === "folder" ? "a folder" : "Postgres", await scenario(child, sha256, isBuilt))
    } finally {
      await child.stop()
      await fs.rm(directory, { recursive: true, force: true })
    }
  })

/** Parts: `postgres`, `folder`, and `no-version` to leave the building out. */
export const main = async (parts: ReadonlyArray<string>): Promise<void> => {
  const sha256 = Content.digestOf(rows)
  const places = parts.filter((part) => part !== "no-version")
  const isBuilt = !parts.includes("no-version")
  if (places.length === 0 || places.includes("postgres")) await run("Postgres", sha256, isBuilt)
  if (places.length === 0 || places.includes("folder")) await run("folder", sha256, isBuilt)
}
