/** The files of the dashboard: small on the wire, and the same however they are coded. */
import { once } from "node:events"
import { type IncomingMessage, request } from "node:http"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Servers from "../Server.ts"
import { isBuilt } from "./Browser.ts"

const decoded: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { br: brotliDecompressSync, gzip: gunzipSync }

describe.skipIf(!isBuilt)("the files of the dashboard", () => {
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  beforeAll(async () => {
    await server.start()
  })

  /** As it comes: `fetch` would undo the coding. */
  const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const asking = request(new URL(path, server.origin), { headers })
    asking.end()
    const [answer] = (await once(asking, "response")) as [IncomingMessage]
    return { status: answer.statusCode, headers: answer.headers, bytes: Buffer.concat(await answer.toArray()) }
  }

  const assets = async () => {
    const page = (await get("/")).bytes.toString()
    return [...page.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, place]) => `/${place}`)
  }

  it("are sent in the best coding that a client takes, each with a tag of its own, and are small (P353)", async () => {
    let sent = 0
    for (const place of ["/", ...(await assets())]) {
      const plain = await get(place)
      assert.isUndefined(plain.headers["content-encoding"], place)
      const best = await get(place, { "accept-encoding": "gzip, deflate, br" })
      sent += best.bytes.length
      // Compressing less than a packet saves nothing.
      if (plain.bytes.length < 1_400) continue
      const tags = [plain.headers.etag]
      for (const [accepted, coding] of [
        ["gzip, deflate, br;q=0.5", "br"],
        ["br;q=0, GZIP", "gzip"]
      ] as const) {
        const { bytes, headers } = await get(place, { "accept-encoding": accepted })
        assert.deepStrictEqual([headers["content-encoding"], headers.vary], [coding, "Accept-Encoding"], place)
        assert.strictEqual(headers["content-length"], String(bytes.length))
        assert.isTrue(decoded[coding]?.(bytes).equals(plain.bytes), place)
        const again = await get(place, { "accept-encoding": accepted, "if-none-match": headers.etag ?? "" })
        assert.deepStrictEqual([again.status, again.bytes.length], [304, 0])
        tags.push(headers.etag)
      }
      assert.strictEqual(new Set(tags).size, 3)
      for (const refusing of ["identity", "br;q=0, gzip;q=0.0", ""]) {
        assert.isTrue((await get(place, { "accept-encoding": refusing })).bytes.equals(plain.bytes), refusing)
      }
    }
    assert.isBelow(sent, 250_000)
  })

  it("have no address of their own for a coding", async () => {
    const [asset = ""] = await assets()
    for (const ending of [".br", ".gz"]) assert.strictEqual((await get(asset + ending)).status, 404)
  })
})
