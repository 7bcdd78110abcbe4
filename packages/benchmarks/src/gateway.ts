/** A gateway under test: a bare node:http pass-through, the one from npm, or ours. Started by `Child`. */
// As the program does, before all else.
import "@limbeck/node/Pretenuring"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { pathToFileURL } from "node:url"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Redacted from "effect/Redacted"
import { fetch } from "undici"
import { report } from "./Child.ts"
import * as PassThrough from "./PassThrough.ts"
import { token } from "./Token.ts"

const [kind, target = "", databaseUrl = "", directory = "", collector, ratio] = process.argv.slice(2)

const ours = async (): Promise<RequestListener> => {
  const limbeck = await Limbeck.make({
    storage: StoragePostgres.layer({ url: databaseUrl }),
    encryptionKeys: [Redacted.make(new Uint8Array(32))],
    bootstrap: { liveToken: token, testToken: null },
    egressAllow: ["127.0.0.0/8"],
    settings: { rateLimit: null },
    journal: { directory },
    ...(collector === undefined ? {} : { telemetry: { endpoint: collector, sampleRatio: Number(ratio) } })
  })
  return limbeck.node
}

/**
 * Its streams need writable headers, but its server's Response replacement shares the upstream's read-only ones: copying
 * them here makes the measurement possible.
 */
const copyHeaders = (): void => {
  const Light = globalThis.Response
  class Copying extends Light {
    constructor(body?: BodyInit | null, init?: ResponseInit) {
      super(
        body,
        init && { status: init.status ?? 200, statusText: init.statusText ?? "", headers: new Headers(init.headers) }
      )
    }
  }
  globalThis.Response = Copying
}

/** The program, in a file, chooses its port by its arguments, and listens once it is imported. */
const fromNpm = async (): Promise<void> => {
  const port = 18_787
  process.argv = [process.argv[0] ?? "", process.argv[1] ?? "", `--port=${port}`, "--headless"]
  await import(pathToFileURL(target).href)
  copyHeaders()
  const origin = `http://127.0.0.1:${port}`
  while (
    !(await fetch(origin).then(
      ({ ok }) => ok,
      () => false
    ))
  )
    await sleep(50)
  report(origin)
}

if (kind === "portkey") await fromNpm()
else {
  const server = createServer(kind === "bare" ? PassThrough.to(target) : await ours())
  server.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
}
