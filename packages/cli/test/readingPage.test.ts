// @effect-diagnostics globalFetch:off
/** The page at /docs: complete by itself, from this server alone. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Servers from "./Server.ts"

/** All resources that a page may load, directly or indirectly. */
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
    const types: Record<string, RegExp> = { svg: /^image\/svg/, css: /^text\/css/, js: /^text\/javascript/ }
    const endings = places.map((place) => place.split(".").at(-1) ?? "")
    assert.includeMembers(endings, Object.keys(types))
    for (const [place, type] of [
      ["docs", /^text\/html/] as const,
      ...places.map((place, at) => [place, types[endings[at] ?? ""]] as const)
    ]) {
      const answer = await get(place)
      assert.strictEqual(answer.status, 200, place)
      assert.match(answer.headers.get("content-type") ?? "", type ?? /nothing/, place)
      assert.strictEqual(answer.headers.get("x-content-type-options"), "nosniff")
      await answer.arrayBuffer()
      const head = await get(place, { method: "HEAD" })
      assert.deepStrictEqual([head.status, await head.text()], [200, ""])
    }
  })

  it("asks nothing of another origin: its policy names none, and its own text neither (P174)", async () => {
    const text = await (await get("docs")).text()
    assert.notMatch(text, /https?:|\/\//)
    const policy = (await get("docs")).headers.get("content-security-policy") ?? ""
    const sources = policy.split("; ").map((directive) => directive.split(" ").slice(1))
    assert.sameMembers([...new Set(sources.flat())], ["'none'", "'self'", "data:"])
    assert.include(policy, "default-src 'none'")
    const script = referred(text).find((place) => /docs-.+\.js$/.test(place)) ?? ""
    assert.include(await (await get(script)).text(), "v1/openapi.json")
    assert.strictEqual((await get("v1/openapi.json")).status, 200)
  })

  it("is asked for again by its tag, and what it loads is kept by browsers", async () => {
    const page = await get("docs")
    assert.strictEqual(page.headers.get("cache-control"), "no-cache")
    const tag = page.headers.get("etag") ?? ""
    assert.strictEqual((await get("docs", { headers: { "if-none-match": tag } })).status, 304)
    for (const place of referred(await page.text())) {
      const answer = await get(place, { method: "HEAD" })
      assert.match(answer.headers.get("cache-control") ?? "", /max-age=\d+/, place)
    }
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
