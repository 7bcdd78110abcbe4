// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** The calls page: live refresh, filters, and actions on several calls. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const rowsOf = (page: Page) => page.getByRole("table", { name: "Calls" }).locator(".items-row")

const rowCount = (page: Page, rows: number) =>
  page.waitForFunction((wanted) => document.querySelectorAll(".items-row").length === wanted, rows)

describe.skipIf(hindrance !== undefined)("the calls page", () => {
  const eyesOf = eyesOfSuite()
  let server: Servers.Server
  let client: Client
  const atEnd = fromHooks(afterAll)

  const ask = async (model: string, content: string) => {
    const answer = await fetch(`${server.origin}/v1/proxy/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${Servers.liveToken}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content }] })
    })
    await answer.arrayBuffer()
  }

  const stored = (number: number) =>
    eventually(`${number} calls are stored`, async () => {
      const { data } = await client.calls.list({ limit: 100 }).page()
      return data.length === number
    })

  beforeAll(async () => {
    const models = new Models()
    await models.open()
    atEnd(() => models.close())
    const environment = { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" }
    server = await new Servers.Server(atEnd, environment).start()
    client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const base_url = models.speaking("fruit")
    await client.sources.create({ name: "teacher", kind: "byok", api_key: key, default: true, base_url })
    for (const number of [1, 2, 3, 4, 5]) await ask("gpt", `apple ${number} of ann${number}@example.com`)
    for (const number of [1, 2]) await ask("other", `pear ${number}`)
    await stored(7)
  })

  it("offers the models that there are with their calls, applies a choice at once, and keeps it behind the # (P1750)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/calls")
    await rowCount(page, 7)
    const model = page.getByLabel("Model")
    await page.locator("option", { hasText: "gpt (5)" }).waitFor({ state: "attached" })
    await page.locator("option", { hasText: "teacher (7)" }).waitFor({ state: "attached" })
    await model.selectOption("other")
    await rowCount(page, 2)
    await page.getByLabel("Time").selectOption("hour")
    await page.getByLabel("Text").fill("pear 2")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await rowCount(page, 1)
    assert.strictEqual(new URL(page.url()).search, "")
    assert.include(new URL(page.url()).hash, "text=pear+2")
    const left: Array<string> = []
    page.on("request", (request) => left.push(new URL(request.url()).pathname))
    await page.reload()
    await rowCount(page, 1)
    assert.strictEqual(await page.getByLabel("Model").inputValue(), "other")
    assert.include(left, "/v1/distill/calls")
    await page.goBack()
    await rowCount(page, 2)
    assert.strictEqual(await page.getByLabel("Text").inputValue(), "")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("shows new calls by itself, says how long ago they were, and leads to a call from anywhere in its row (P1751)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/calls")
    await rowCount(page, 7)
    await ask("gpt", "a quince that came later")
    await rowsOf(page).first().getByText("a quince that came later").waitFor()
    const time = rowsOf(page).first().locator("time")
    assert.strictEqual(await time.textContent(), "just now")
    assert.match((await time.getAttribute("title")) ?? "", /\d{4}.*\(UTC\)/)
    await page.getByRole("button", { name: "Live" }).click()
    assert.strictEqual(await page.getByRole("button", { name: "Live" }).getAttribute("aria-pressed"), "false")
    await ask("gpt", "a medlar of the refresh")
    await stored(9)
    await page.getByRole("button", { name: "Refresh" }).click()
    await rowsOf(page).first().getByText("a medlar of the refresh").waitFor()
    // The link of the row lies above its other cells.
    await rowsOf(page).first().getByText("succeeded").click({ force: true })
    await page.getByRole("heading", { name: "Call", exact: true }).waitFor()
    await page.getByText("a medlar of the refresh").first().waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  /** Chooses the rows with these texts by the keyboard. */
  const choose = async (page: Page, texts: ReadonlyArray<string>) => {
    for (const text of texts) {
      await rowsOf(page).filter({ hasText: text }).getByRole("checkbox").focus()
      await page.keyboard.press("Space")
    }
    await page.getByText(`${texts.length} calls chosen`).waitFor()
  }

  it("makes a dataset of the chosen calls alone, with the settings of its dialog (P1752)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/calls")
    await choose(page, ["apple 2", "apple 4", "pear 1"])
    await page.getByRole("button", { name: "Make a dataset of the chosen" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByText("It takes the 3 chosen calls.").waitFor()
    assert.deepStrictEqual(await violations(page), [], "the dialog")
    await dialog.getByLabel("Name of the dataset").fill("chosen")
    await dialog.getByLabel("Held out").fill("0")
    await dialog.getByLabel("Repeated rows").selectOption("none")
    await dialog.getByLabel("e-mail addresses").check()
    await dialog.getByRole("button", { name: "Make", exact: true }).click()
    await page.waitForURL(/#\/data\/versions\//)
    const version = await client.datasetVersions.wait(page.url().split("/").at(-1) ?? "")
    assert.deepInclude(version, { rows: 3, holdout_fraction: 0, dedupe: "none", redact: ["email"] })
    const rows = JSON.stringify(await client.datasetVersions.rows(version.id).all())
    for (const text of ["apple 2 of [EMAIL]", "apple 4 of [EMAIL]", "pear 1"]) assert.include(rows, text)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("judges and deletes the chosen calls together, in light, in dark and on a phone (P1753)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/calls?model=gpt")
    await choose(page, ["apple 1", "apple 3"])
    assert.deepStrictEqual(await violations(page), [])
    await page.emulateMedia({ colorScheme: "dark" })
    assert.deepStrictEqual(await violations(page, "colors"), [])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepStrictEqual(await tooWide(page), [])
    await page.getByRole("button", { name: "Good answers" }).click()
    await page.getByText("calls chosen").waitFor({ state: "detached" })
    assert.deepStrictEqual(
      (await client.feedback.list().all()).map(({ name, value }) => ({ name, value })),
      Array.from({ length: 2 }, () => ({ name: "review", value: 1 }))
    )
    await choose(page, ["apple 1", "apple 3"])
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByText("Delete 2 calls?").waitFor()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    await rowsOf(page).filter({ hasText: "apple 1" }).waitFor({ state: "detached" })
    await stored(7)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("says that the API fails, and goes on by a press; without figures it offers no facets (P1750)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const refuse = { status: 403, json: { error: { type: "permission_error", code: "x", message: "not today" } } }
    for (const path of ["**/v1/distill/calls?*", "**/v1/distill/metrics?*"])
      await page.route(path, (route) => route.fulfill(refuse))
    await look(page, "/calls")
    await page.getByRole("alert").getByText("not today").waitFor()
    assert.isTrue(await page.getByRole("button", { name: "Make a dataset of these" }).isDisabled())
    assert.deepStrictEqual(await violations(page), [])
    await page.unroute("**/v1/distill/calls?*")
    await page.getByRole("button", { name: "Try again" }).click()
    await rowsOf(page).first().waitFor()
    assert.deepStrictEqual(await page.getByLabel("Model").locator("option").allTextContents(), ["any"])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
