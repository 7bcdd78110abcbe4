// The page of a test asks by itself.
// @effect-diagnostics globalFetch:off
/** What a browser still has of a workspace after signing out. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import * as Servers from "../Server.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

describe.skipIf(hindrance !== undefined)("the browser after signing out", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory" })
  beforeAll(async () => {
    await server.start()
  })

  it("has no answer of the API in its cache (P901)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const asked: Array<string> = []
    page.on("request", (request) => {
      if (request.method() === "GET" && request.url().includes("/v1/")) asked.push(request.url())
    })
    for (const place of ["/calls", "/tokens", "/data", "/"]) await look(page, place)
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API token").waitFor()
    const other = await page.context().newPage()
    await other.goto(`${server.origin}/`)
    const kept = await other.evaluate(async (urls) => {
      const statuses = await Promise.all(
        urls.map((url) =>
          fetch(url, { cache: "only-if-cached", mode: "same-origin" }).then(
            ({ ok }) => ok,
            () => false
          )
        )
      )
      return urls.filter((_, at) => statuses[at])
    }, asked)
    assert.isAbove(asked.length, 4)
    assert.deepStrictEqual(kept, [])
  })
})
