/** A server that is slow, away or replaced: every page says so, and comes back by itself. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

describe.skipIf(hindrance !== undefined)("a dashboard whose server does not answer", () => {
  const eyesOf = eyesOfSuite()
  let server: Servers.Server
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    server = await new Servers.Server(atEnd, { ...Servers.quiet, STORAGE: "memory" }).start()
  })

  const says = (page: Page, text: string | RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor()

  /** Goes to a page without waiting for it. */
  const go = (page: Page, place: string) =>
    page.evaluate((hash) => {
      location.hash = hash
    }, place)

  it("says that it is slow, in the place of a blank page, until the answer comes (P957)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route("**/v1/tokens**", async (route) => {
      await released
      await route.continue()
    })
    await go(page, "/tokens")
    await says(page, "The server has not answered yet")
    release()
    await page.getByRole("status").waitFor({ state: "detached" })
    await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("says that it is offline, keeps what is shown, and goes on when it is online again (P957)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/sources")
    await look(page, "/")
    await page.context().setOffline(true)
    await says(page, "What is shown may be old")
    assert.deepStrictEqual(await violations(page), [])
    // Its part of the page was loaded before; what it shows was not asked for in this place.
    await go(page, "/sources")
    await page.getByRole("heading", { name: "Sources", level: 1 }).waitFor()
    await page.context().setOffline(false)
    await page.getByText("What is shown may be old").waitFor({ state: "detached" })
    await look(page, "/tokens")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("asks a server that is away again by itself, and signs nobody out meanwhile (P957)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    let isAway = true
    await page.route("**/v1/**", (route) => (isAway ? route.abort("connectionrefused") : route.continue()))
    await page.reload()
    await page.getByRole("heading", { name: "The server does not answer" }).waitFor()
    await page.getByRole("alert").filter({ hasText: "The server cannot be reached." }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    isAway = false
    await page.getByRole("navigation", { name: "Main" }).waitFor()

    isAway = true
    await go(page, "/webhooks")
    await says(page, "The server has not answered yet")
    isAway = false
    await look(page, "/webhooks")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("shows a page that does not load as such, and loads it on request (P957)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await page.route("**/assets/Billing-*.js", (route) => route.abort())
    await go(page, "/billing")
    await page.getByRole("heading", { name: "This page did not load" }).waitFor()
    // The rest of the page is there.
    await look(page, "/tokens")
    await go(page, "/billing")
    await page.getByRole("heading", { name: "This page did not load" }).waitFor()
    await page.unroute("**/assets/Billing-*.js")
    await page.getByRole("button", { name: "Reload" }).click()
    await page.getByRole("heading", { name: "Billing", level: 1 }).waitFor()
  })
})
