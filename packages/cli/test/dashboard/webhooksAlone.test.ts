/** The dashboard of a host that embeds the webhooks alone. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { dashboard } from "@limbeck/dashboard"
import * as WebhookStorage from "@limbeck/storage-memory/WebhookStorage"
import { type AtEnd, fromHooks } from "@limbeck/testing/AtEnd"
import * as Webhooks from "@limbeck/webhooks-host/Webhooks"
import * as Redacted from "effect/Redacted"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const testToken = `svc_test_${"0".repeat(40)}`

const orderTypes = [
  { type: "order.paid", domain: "order", description: "An order was paid." },
  { type: "order.shipped", domain: "order", description: "An order left the house." }
]

const listen = async (atEnd: AtEnd, handle: Parameters<typeof createServer>[1]) => {
  const server = createServer(handle)
  await once(server.listen(0, "127.0.0.1"), "listening")
  atEnd(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // It listens on a port.
}

const open = async (atEnd: AtEnd) => {
  const webhooks = await Webhooks.make({
    storage: WebhookStorage.layer,
    encryptionKeys: [Redacted.make(new Uint8Array(32).fill(7))],
    settings: { rateLimit: null },
    eventTypes: orderTypes,
    bootstrap: { testToken }
  })
  atEnd(() => webhooks.close())
  const receiver = await listen(
    atEnd,
    (request, response) => void request.resume().on("end", () => response.end("thanks"))
  )
  return { webhooks, receiver, origin: await listen(atEnd, dashboard(webhooks.node)) }
}

describe.skipIf(hindrance !== undefined)("the dashboard of webhooks alone", () => {
  const eyesOf = eyesOfSuite()
  const atEnd = fromHooks(afterAll)
  let opened: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    opened = await open(atEnd)
  })

  it("has the pages of webhooks and no others, and begins with the endpoints (P1791)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.page(opened.origin)
    assert.strictEqual(await page.locator(".error-text").textContent(), "", "no session is no error")
    await page.getByLabel("API token").fill(testToken)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor()
    const links = page.getByRole("navigation", { name: "Main" }).getByRole("link")
    assert.deepStrictEqual(await links.allTextContents(), ["Events", "Webhooks", "Tokens"])
    const refused: Array<string> = []
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url())
    })
    for (const place of ["/events", "/webhooks", "/webhooks/test", "/tokens", "/"]) {
      await look(page, place)
      assert.deepStrictEqual(await violations(page), [], place)
    }
    await page.getByRole("heading", { name: "Webhooks", level: 1 }).waitFor()
    await look(page, "/runs")
    await page.getByRole("heading", { name: "There is no such page" }).waitFor()
    assert.deepStrictEqual(refused, [], "nothing asks for what the server does not have")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("offers the host's own event types, and shows an event with its delivery and its object (P1790, P1792, P1800)", async () => {
    const { origin, receiver, webhooks } = opened
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(origin, testToken)
    await page.getByRole("button", { name: "Add an endpoint" }).click()
    await page.getByLabel("URL").fill(receiver)
    await page.getByRole("checkbox", { name: /^\* / }).uncheck()
    await page.getByText("Choose at least one.").waitFor()
    await page.getByLabel("Find event types").fill("left the house")
    await page.getByRole("checkbox").press("Space")
    await page.getByText("Chosen: order.shipped").waitFor()
    await page.getByRole("button", { name: "Add", exact: true }).click()
    await page.getByRole("button", { name: "Close" }).click()
    const client = makeClient({ baseUrl: origin, token: testToken })
    assert.deepStrictEqual((await client.webhookEndpoints.list().all())[0]?.enabled_events, ["order.shipped"])

    const order = (id: string) => ({ id, object: "order", status: "shipped" })
    await webhooks.events.publish({ type: "order.paid", object: order("or_1"), livemode: false })
    await webhooks.events.publish({ type: "order.shipped", object: order("or_2"), livemode: false })
    await page.getByRole("table", { name: "Endpoints" }).getByRole("link").click()
    await page.getByRole("button", { name: "Send a test event" }).click()
    await page.getByLabel("Type", { exact: true }).last().selectOption("order.paid")
    await page.getByRole("button", { name: "Send", exact: true }).click()
    await page.getByText("Delivered: 200").waitFor()
    await page.getByRole("dialog").getByText("thanks").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Close" }).click()
    assert.lengthOf(await client.events.list().all(), 2, "a test event is not stored")
    await look(page, "/events")
    const table = page.getByRole("table", { name: "Events" })
    assert.strictEqual(await table.getByRole("link").count(), 2)
    await page.getByLabel("Type").selectOption("order.paid")
    await table.getByText("or_1").waitFor()
    assert.strictEqual(await table.getByRole("link").count(), 1)
    await table.getByRole("link").click()
    await page.getByText("No endpoint subscribed").waitFor()
    await page.goBack()
    await page.getByLabel("Type").selectOption("order.*")
    await table.getByText("or_2").waitFor()
    assert.strictEqual(await table.getByRole("link").count(), 2)
    await page.getByLabel("Until").fill("2020-01-01T00:00")
    await page.getByText("No such events").waitFor()
    await page.getByLabel("Until").fill("")
    await table.getByRole("link", { name: "order.shipped" }).click()
    await page.getByRole("region", { name: "Object" }).getByText('"or_2"').waitFor()
    await page.getByRole("row").getByText("succeeded").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepStrictEqual(await tooWide(page), [])
    await page.getByRole("link", { name: receiver }).click()
    await page.getByText("Service-Event-Type: order.shipped").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    assert.deepStrictEqual(await tooWide(page), [])
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
