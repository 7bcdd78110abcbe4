/** The palette: to any page, by the keyboard alone. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { eventually } from "@limbeck/testing/Eventually"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

describe.skipIf(hindrance !== undefined)("the palette of the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  beforeAll(() => server.start())

  it("goes to pages, names and ids by the keyboard, and is loaded when it is first opened (P1794)", async () => {
    const client = makeClient({ baseUrl: server.origin, token: Servers.testToken })
    const dataset = await client.datasets.create({ name: "tickets of the help desk" })
    const endpoint = await client.webhookEndpoints.create({ url: "http://127.0.0.1:1/", enabled_events: ["distill.*"] })
    await client.webhookEndpoints.create({ url: "http://127.0.0.1:2/", enabled_events: ["webhook_endpoint.disabled"] })
    const upload = await client.uploads.send(`{"messages":[{"role":"user","content":"a"}],"completion":"b"}`)
    await client.uploads.wait(upload.id)
    const delivery = await eventually("the delivery", async () => (await client.deliveries.list(endpoint.id).all())[0])

    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await look(page, "/tokens")
    const loaded: Array<string> = []
    page.on("request", (request) => {
      if (/Palette-.*\.js$/.test(request.url())) loaded.push(request.url())
    })
    const input = page.getByRole("combobox", { name: "Page, name or id" })
    const goTo = async (text: string, option: RegExp) => {
      await page.keyboard.press("Control+k")
      await input.waitFor()
      await page.keyboard.type(text)
      await page.getByRole("option", { name: option }).waitFor()
      assert.deepStrictEqual(await violations(page), [], text)
      await page.keyboard.press("Enter")
      await input.waitFor({ state: "detached" })
    }
    await goTo("deploym", /Deployments/)
    await page.getByRole("heading", { name: "Deployments", level: 1 }).waitFor()
    await goTo("help desk", /tickets/)
    await page.getByRole("heading", { name: dataset.name, level: 1 }).waitFor()
    await goTo(upload.id, /Go to/)
    await page.waitForURL(new RegExp(`/data/uploads/${upload.id}`))
    await goTo(delivery.id, /Delivery/)
    await page.getByRole("heading", { name: "distill.upload.succeeded", level: 1 }).waitFor()
    assert.strictEqual(new Set(loaded).size, 1)

    await page.keyboard.press("Control+k")
    await page.keyboard.type("msg_00000000000000000000000000")
    await page.getByText("No page shows this id.").waitFor()
    await input.fill("nothing has this name")
    await page.getByText("No page or name has these words.").waitFor()
    await page.keyboard.press("Escape")
    await input.waitFor({ state: "detached" })
    await page.getByRole("button", { name: "Go to" }).click()
    await input.waitFor()
    // The second of the list, by the arrow.
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Calls", level: 1 }).waitFor()
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepStrictEqual(await tooWide(page), [])
    await page.emulateMedia({ colorScheme: "dark" })
    await page.getByRole("button", { name: "Go to" }).click()
    await page.getByRole("option", { name: /Workspace/ }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    assert.strictEqual(await page.getByRole("option", { name: /Assistant/ }).count(), 0, "it is for people")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
