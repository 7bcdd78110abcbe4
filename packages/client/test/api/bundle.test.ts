/** The client as a bundler sees it: small, alone, and without anything of Node. */
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { assert, describe, it } from "vitest"

const gzipBytesMax = 30 * 1024

const bundled = async () => {
  const bundle = await rolldown({
    input: fileURLToPath(new URL("../../src/api/Limbeck.ts", import.meta.url)),
    platform: "neutral"
  })
  const { output } = await bundle.generate({ format: "iife", name: "limbeck", minify: true })
  await bundle.close()
  return output[0]
}

describe("the bundled client", () => {
  it("has less than 30 kB gzip, of its own files alone (P222)", async () => {
    const { code, imports, moduleIds } = await bundled()
    assert.isEmpty(imports)
    for (const id of moduleIds) assert.include(id, "/client/src/api/")
    const { length } = gzipSync(code)
    process.stdout.write(`The client has ${length} bytes, minified and gzip\n`)
    assert.isBelow(length, gzipBytesMax)
  })

  it("runs where there is nothing but what browsers and workers have (P222)", async () => {
    const { code } = await bundled()
    const asked: Array<string> = []
    const answers = async (request: Request) => {
      asked.push(`${request.method} ${request.url} ${request.headers.get("authorization")}`)
      return Response.json({ data: [{ id: "loop_1" }], has_more: false, next_cursor: null })
    }
    const web = {
      AbortController,
      AbortSignal,
      Blob,
      Request,
      TextDecoder,
      URLSearchParams,
      clearTimeout,
      crypto,
      setTimeout
    }
    const script = `${code}
      limbeck.makeClient({ baseUrl: "https://limbeck.example", token: "t", fetch: answers }).loops.list({ limit: 1 }).all()`
    const items = await runInContext(script, createContext({ ...web, performance, answers }))
    assert.deepStrictEqual(JSON.stringify(items), '[{"id":"loop_1"}]')
    assert.deepStrictEqual(asked, ["GET https://limbeck.example/v1/distill/loops?limit=1 Bearer t"])
  })
})
