// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** Headers of the standalone server's responses from each part: API, page, document, metrics, parser. */
import { once } from "node:events"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { isBuilt } from "./dashboard/Browser.ts"
import { quiet, Server } from "./Server.ts"

/** The response to bytes that are no HTTP request. */
const refused = async (origin: string): Promise<Headers> => {
  const socket = connect({ host: "127.0.0.1", port: Number(new URL(origin).port) })
  await once(socket, "connect")
  socket.write("what is this\r\n\r\n")
  const [head = ""] = (await text(socket)).split("\r\n\r\n")
  const [, ...lines] = head.split("\r\n")
  return new Headers(lines.map((line) => line.split(": ", 2) as [string, string]))
}

const pages = isBuilt ? ["/", "/docs"] : []

describe("the headers of a standalone server", () => {
  const at = (PUBLIC_URL: string) => new Server(afterAll, { ...quiet, STORAGE: "memory", METRICS: "on", PUBLIC_URL })
  const secure = at("https://limbeck.example")
  const plain = at("http://limbeck.example")
  beforeAll(async () => {
    await Promise.all([secure.start(), plain.start()])
  })

  const answersOf = async (origin: string) => {
    const paths = [...pages, "/metrics", "/v1/health", "/v1/whoami", "/nowhere"]
    const answers = paths.map(async (path) => [path, (await fetch(origin + path)).headers] as const)
    return [...(await Promise.all(answers)), ["no request", await refused(origin)] as const]
  }

  it("forbid to guess types, and to come back over plain http where PUBLIC_URL is https (P902)", async () => {
    for (const [path, headers] of await answersOf(secure.origin)) {
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
      assert.strictEqual(headers.get("strict-transport-security"), "max-age=31536000", path)
    }
    for (const [path, headers] of await answersOf(plain.origin)) {
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
      assert.isNull(headers.get("strict-transport-security"), path)
    }
  })

  it("let browsers keep the files of the page, and nothing of the API (P901)", async () => {
    for (const [path, headers] of await answersOf(plain.origin)) {
      assert.strictEqual(headers.get("cache-control"), pages.includes(path) ? "no-cache" : "no-store", path)
      if (pages.includes(path)) assert.isNotNull(headers.get("etag"), path)
    }
  })
})
