/** Every page: for readers who cannot see it, on a phone, and against texts that would be scripts. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, shifts, tooWide } from "./Browser.ts"
import { answered, corpus, type SeedData } from "./Seed.ts"
import { seededServer } from "./SeededServer.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

/** Whether a text was taken for a script, and how many elements there are that no page of ours has. */
const taken = (page: Page) =>
  page.evaluate(() => ({
    hacked: "hacked" in window,
    elements: document.querySelectorAll(
      "iframe, object, embed, script:not([src]), [onerror], [onload], a[href^='javascript:']"
    ).length
  }))

describe.skipIf(hindrance !== undefined)("every page of the dashboard", () => {
  const eyesOf = eyesOfSuite()
  let server: Servers.Server
  let seeded: SeedData
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    ;({ seeded, server } = await seededServer(atEnd, corpus, answered))
  })

  it("has nothing that axe-core objects to in light and in dark, moves nothing while it loads, and takes no hostile text for a script (P292, P293, P427)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    for (const place of seeded.places) {
      await look(page, place)
      assert.deepStrictEqual(await taken(page), { hacked: false, elements: 0 }, place)
      assert.deepStrictEqual(await violations(page), [], place)
      // Of what axe-core looks at, a color scheme changes the colors alone.
      await page.emulateMedia({ colorScheme: "dark" })
      assert.deepStrictEqual(await violations(page, "colors"), [], `${place}, dark`)
      await page.emulateMedia({ colorScheme: "light" })
    }
    assert.deepStrictEqual(await shifts(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("is no wider than a phone, and moves nothing there either (P292, P427)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.liveToken, { viewport: { width: 390, height: 844 } })
    for (const place of seeded.places) {
      await look(page, place)
      assert.deepStrictEqual(await tooWide(page), [], place)
    }
    assert.deepStrictEqual(await shifts(page), [])
  })

  it("shows hostile texts as texts: no script runs, and the policy has nothing to forbid (P293)", async () => {
    assert.isAtLeast(new Set(corpus).size, 200)
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/calls")
    const text = await page.evaluate(() => document.body.textContent)
    assert.include(text, "window.hacked=1", "the texts are there")
    for (const [place, said] of seeded.said) {
      await look(page, place)
      assert.include(await page.evaluate(() => document.body.textContent), said, place)
    }
    await look(page, "/sources")
    await page.getByRole("region", { name: "refuses" }).getByRole("button", { name: "Verify" }).click()
    await page.getByText("It failed:").waitFor()
    assert.isFalse(await page.evaluate(() => "hacked" in window))
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("keeps the filter of calls while one of them is read, and drops it with the place", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const outcome = () => page.getByLabel("Outcome").inputValue()
    await look(page, "/calls")
    await page.getByLabel("Outcome").selectOption("failed")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    const rows = page.getByRole("table", { name: "Calls" }).getByRole("link")
    await page.waitForFunction(() => document.querySelectorAll(".items-row").length === 1)
    await rows.first().click()
    await page.getByRole("heading", { name: "Call", exact: true }).waitFor()
    await page.goBack()
    await page.getByRole("heading", { name: "Calls" }).waitFor()
    assert.strictEqual(await outcome(), "failed")
    await page.getByRole("link", { name: "Home" }).click()
    await page.getByRole("heading", { name: "default" }).waitFor()
    await page.getByRole("navigation").getByRole("link", { name: "Calls" }).click()
    await page.getByRole("heading", { name: "Calls" }).waitFor()
    assert.strictEqual(await outcome(), "")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("leads with money and time over a range that one picks, and says for which models no price is known (P1625)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/")
    const money = page.getByRole("region", { name: "Money and time" })
    const answer = await page.request.get(`${server.origin}/v1/distill/calls?limit=100`, {
      headers: { authorization: `Bearer ${Servers.liveToken}` }
    })
    const calls: ReadonlyArray<{ readonly model: string; readonly outcome: string; readonly cost_usd: number | null }> =
      (await answer.json()).data
    const unpriced = new Set(
      calls.flatMap(({ cost_usd, model, outcome }) => (cost_usd === null && outcome === "succeeded" ? [model] : []))
    ).size
    for (const range of ["24 hours", "90 days"]) {
      await money.getByLabel("Range").selectOption({ label: range })
      await money.getByText(`No price is known for ${unpriced} model`).waitFor()
      await money.locator(".figure", { hasText: "Calls" }).getByText(`${calls.length}`, { exact: true }).waitFor()
    }
    assert.strictEqual(await money.getByRole("img").count(), 2, "calls and latency: no price is known")
    assert.deepStrictEqual(await shifts(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("finds calls by what was said in them (P426)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/calls")
    await page.getByLabel("Text").fill("17 JAVASCRIPT:window")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await page.getByText("No such calls").waitFor()
    await page.getByLabel("Text").fill("26 JAVASCRIPT:window")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await page.waitForFunction(() => document.querySelectorAll(".items-row").length === 1)
    assert.include(await page.getByRole("table", { name: "Calls" }).textContent(), "26 javascript:window")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("is used by the keyboard: past the navigation, into a dialog, and back to where one was (P432)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent)
    await page.reload()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    await page.keyboard.press("Tab")
    assert.strictEqual(await focused(), "Skip to content")
    await page.keyboard.press("Enter")
    assert.strictEqual(await focused(), "main")
    await page.getByRole("link", { name: "Sources", exact: true }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Sources", level: 1 }).waitFor()
    assert.strictEqual(await focused(), "main", "the new page is read from its beginning")
    await page.keyboard.press("Tab")
    assert.strictEqual(await focused(), "Add a source")
    await page.keyboard.press("Enter")
    await page.getByRole("dialog").waitFor()
    assert.isTrue(await page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null))
    await page.keyboard.press("Escape")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    assert.strictEqual(await focused(), "Add a source")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("shows what each model costs and where the price comes from, and counts the models without one (P1537)", async () => {
    const eyes = eyesOf(onTestFinished)
    const client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const priced = { id: "stated", input_per_million: 3, output_per_million: 12, tiers: { batch: 0.5 } }
    const base_url = (await client.sources.list().all())[0]?.base_url ?? ""
    const fields = { kind: "byok" as const, base_url, api_key: "sk", models: [priced, "gpt-4o", "nobody-knows"] }
    const { id } = await client.sources.create({ name: "priced", ...fields })
    const models = await client.sources.models().all()
    const page = await eyes.signedIn(server.origin)
    await look(page, "/sources")
    const rowOf = async (model: string) =>
      (await page.getByRole("row", { name: model }).filter({ hasText: "priced" }).textContent()) ?? ""
    for (const part of ["$3.00", "$12.00", "batch ×0.5", "the source"]) assert.include(await rowOf("stated"), part)
    assert.include(await rowOf("gpt-4o"), "the price file")
    assert.include(await rowOf("nobody-knows"), "no price known")
    const unpriced = models.filter(({ price_from }) => price_from === "none").length
    assert.isAtLeast(unpriced, 1)
    await page.getByText(`No price known for ${unpriced} model`).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    assert.deepStrictEqual(await tooWide(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
    await client.sources.delete(id)
  })

  it("changes a source, and leaves alone what nobody has typed over (P428)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const named = async () => (await client.sources.list().all()).find(({ name }) => name === "refuses")
    const before = await named()
    await client.sources.update(before?.id ?? "", { models: [{ id: "no", input_per_million: 3 }, "maybe"] })
    await look(page, "/sources")
    await page.getByRole("region", { name: "refuses" }).getByRole("button", { name: "Edit" }).click()
    assert.deepStrictEqual(await violations(page), [], "the dialog")
    await page.getByLabel("Models").fill("no, other")
    await page.getByLabel("Captured, in percent of calls").fill("25")
    await page.getByLabel("Time limit, in seconds").fill("1.5")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("25 % of calls").waitFor()
    const after = await named()
    assert.deepStrictEqual(after, {
      ...before,
      ...after,
      models: [{ id: "no", input_per_million: 3 }, "other"],
      timeout_ms: 1_500,
      capture: { ...after?.capture, enabled: true, sample_rate: 0.25 },
      base_url: before?.base_url ?? "",
      api_key_last4: before?.api_key_last4 ?? "",
      default: false
    } as typeof after)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("has a shared page of a report for strangers: whole without a script, for all readers, on a phone too; the dashboard shows the same (P350, P333)", async () => {
    const eyes = eyesOf(onTestFinished)
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await eyes.page(server.origin, { colorScheme, viewport: { width: 390, height: 844 } })
      await page.goto(seeded.shared)
      await page.getByRole("heading", { name: "Does it pay?" }).waitFor()
      assert.deepStrictEqual(await page.evaluate(() => document.scripts.length + sessionStorage.length), 0)
      assert.deepStrictEqual(await violations(page), [], colorScheme)
      assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    }
    const shownIn = (page: Page) =>
      page.locator(".report").evaluateAll((parts) => parts.map(({ innerHTML }) => innerHTML).join(""))
    const shared = await eyes.page(server.origin)
    await shared.goto(seeded.shared)
    const own = await eyes.signedIn(server.origin)
    await look(own, seeded.places.find((place) => place.startsWith("/reports/")) ?? "")
    assert.strictEqual(await shownIn(own), await shownIn(shared), "the dashboard shows the same parts")
    const titleIn = (page: Page) => page.getByRole("heading", { level: 1 }).textContent()
    assert.strictEqual(await titleIn(own), await titleIn(shared))
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
