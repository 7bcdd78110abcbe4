// @effect-diagnostics globalFetch:off
/** The page at /docs: complete by itself, from this server alone. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Servers from "./Server.ts"

/** All that a page may load, and that may be loaded by what it loads. */
const referred = (text: string) => [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, place = ""]) => place)

describe("the reading page", () => {
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  beforeAll(async () => {
    await server.start()
  })

  const get = (path: string, init: RequestInit = {}) => fetch(new URL(path, `${server.origin}/docs`), init)

  it("and all that it refers to is here, with its type, and holds to its policy (P174)", async () => {
    const page = await get("docs")
    const places = referred(await page.text())
    assert.sameMembers(places, [
      "docs/favicon.png",
      "docs/swagger-ui.css",
      "docs/swagger-ui-bundle.js",
      "docs/start.js"
    ])
    const types: Record<string, RegExp> = { png: /^image\/png$/, css: /^text\/css/, js: /^text\/javascript/ }
    for (const place of ["docs", ...places]) {
      const answer = await get(place)
      assert.strictEqual(answer.status, 200, place)
      assert.match(answer.headers.get("content-type") ?? "", types[place.split(".")[1] ?? ""] ?? /^text\/html/, place)
      assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
      const length = (await answer.arrayBuffer()).byteLength
      assert.strictEqual(String(length), answer.headers.get("content-length"), place)
      const head = await get(place, { method: "HEAD" })
      assert.deepStrictEqual([head.status, await head.text()], [200, ""])
    }
  })

  it("asks nothing of another origin: its policy names none, and its own text neither (P174)", async () => {
    for (const place of ["docs", "docs/start.js"])
      assert.notMatch(await (await get(place)).text(), /https?:|\/\//, place)
    const policy = (await get("docs")).headers.get("content-security-policy") ?? ""
    const sources = policy.split("; ").map((directive) => directive.split(" ").slice(1))
    assert.sameMembers([...new Set(sources.flat())], ["'none'", "'self'", "data:"])
    assert.include(policy, "default-src 'none'")
    assert.include(await (await get("docs/start.js")).text(), 'url: "v1/openapi.json"')
    assert.strictEqual((await get("v1/openapi.json")).status, 200)
  })

  it("is kept by browsers, and asked for again by its tag", async () => {
    const first = await get("docs/swagger-ui.css")
    const tag = first.headers.get("etag") ?? ""
    await first.arrayBuffer()
    assert.match(first.headers.get("cache-control") ?? "", /max-age=\d+/)
    assert.strictEqual((await get("docs/swagger-ui.css", { headers: { "if-none-match": tag } })).status, 304)
    assert.strictEqual((await get("docs")).headers.get("cache-control"), "no-cache")
  })

  it("leaves everything else to the server", async () => {
    for (const [path, method] of [
      ["docs/other.js", "GET"],
      ["docs/", "GET"],
      ["docs", "POST"],
      ["docs/../package.json", "GET"]
    ] as const) {
      const answer = await get(path, { method })
      assert.strictEqual(answer.status, 404, path)
      assert.strictEqual(((await answer.json()) as { error: { code: string } }).error.code, "not_found_error")
    }
  })
})
