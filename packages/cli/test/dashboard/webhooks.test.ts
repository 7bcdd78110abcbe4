/** A failing webhook is found, and redelivered after the receiver's repair. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { eventually } from "@limbeck/testing/Eventually"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

describe.skipIf(hindrance !== undefined)("webhooks in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  let status = 500
  const requests: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = []
  const receiver = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: await text(request) })
    response.writeHead(status).end(status === 500 ? "my disk is full" : "thanks")
  })
  beforeAll(async () => {
    await server.start()
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  })
  afterAll(() => void receiver.close())

  it("are added with types of the catalog and a secret that is shown once; failing deliveries are found and redelivered, one by hand and the rest by a recovery (P294, P428, P1790)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await page.getByText("test mode").waitFor()
    await look(page, "/webhooks")
    await page.getByRole("button", { name: "Add an endpoint" }).click()
    await page.getByLabel("URL").fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`)
    await page.getByRole("button", { name: "Add", exact: true }).click()
    assert.match((await page.getByLabel("the secret", { exact: true }).textContent()) ?? "", /^whsec_\w{20,}$/)
    await page.getByRole("button", { name: "Close" }).click()

    const client = makeClient({ baseUrl: server.origin, token: Servers.testToken })
    await page.getByRole("table", { name: "Endpoints" }).getByRole("link").click()
    await page.getByRole("button", { name: "Edit" }).click()
    await page.getByLabel("Description").fill("the help desk")
    await page.getByRole("checkbox", { name: /^\* / }).uncheck()
    await page.getByLabel("Find event types").fill("distill.run")
    await page.getByRole("checkbox", { name: "distill.run.created" }).check()
    await page.getByRole("checkbox", { name: /^distill\.run\.\*/ }).check()
    assert.isTrue(await page.getByRole("checkbox", { name: "distill.run.failed" }).isDisabled(), "the family has it")
    await page.getByLabel("Find event types").fill("An upload")
    await page.getByRole("checkbox", { name: "distill.upload.succeeded" }).press("Space")
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("the help desk").waitFor()
    const [changed] = await client.webhookEndpoints.list().all()
    assert.deepInclude(changed, {
      description: "the help desk",
      enabled_events: ["distill.run.*", "distill.upload.succeeded"],
      status: "enabled"
    })
    for (const content of ["a", "b"]) {
      const upload = await client.uploads.send(`{"messages":[{"role":"user","content":"${content}"}],"completion":"c"}`)
      await client.uploads.wait(upload.id)
    }
    await page.getByLabel("State").selectOption("failed")
    await page.getByRole("link", { name: "distill.upload.succeeded" }).first().click()
    await page.getByText("my disk is full").first().waitFor()
    // Deliveries that wait for a disabled endpoint are dead-lettered.
    await page.goBack()
    for (const action of ["Disable", "Enable"]) {
      await page.getByRole("button", { name: action, exact: true }).click()
      await page.getByRole("dialog").getByRole("button", { name: action, exact: true }).click()
      await page.getByRole("dialog").waitFor({ state: "hidden" })
      if (action === "Disable") await page.locator(".figure", { hasText: "Dead-lettered" }).getByText("2").waitFor()
    }
    await page.getByLabel("State").selectOption("dead_lettered")
    await page.getByRole("link", { name: "distill.upload.succeeded" }).first().click()
    status = 200
    await page.getByRole("button", { name: "Redeliver" }).click()
    await page.locator(".facts").getByText("succeeded").waitFor()
    await page.getByText("a person").waitFor()
    await page.goBack()
    await page.getByRole("button", { name: "Recover" }).click()
    const recovery = page.getByRole("dialog")
    await recovery.getByRole("button", { name: "Recover" }).click()
    await recovery.getByText("1 of 1 delivery redelivered").waitFor()
    assert.strictEqual(await recovery.getByLabel("Redelivered").getAttribute("value"), "1")
    await recovery.getByRole("button", { name: "Close" }).click()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("show the request as it is sent, to be copied, and the dead-lettered deliveries of a list are redelivered together (P1792, P1793)", async () => {
    const client = makeClient({ baseUrl: server.origin, token: Servers.testToken })
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const endpoint = await client.webhookEndpoints.create({ url, enabled_events: ["distill.upload.*"] })
    status = 500
    for (const content of ["d", "e", "f"]) {
      const upload = await client.uploads.send(`{"messages":[{"role":"user","content":"${content}"}],"completion":"c"}`)
      await client.uploads.wait(upload.id)
    }
    const countOf = async (wanted: "failed" | "dead_lettered") =>
      (await client.deliveries.list(endpoint.id, { status: wanted }).all()).length
    await eventually("each failed", async () => (await countOf("failed")) === 3)
    await client.webhookEndpoints.update(endpoint.id, { status: "disabled" })
    await eventually("each is dead-lettered", async () => (await countOf("dead_lettered")) === 3)
    await client.webhookEndpoints.update(endpoint.id, { status: "enabled" })

    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    const copied = async (label: string) => {
      const button = page.getByRole("button", { name: `Copy ${label}` })
      await button.click()
      await button.filter({ hasText: "Copied" }).waitFor()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    await look(page, `/webhooks/${endpoint.id}`)
    await page.getByRole("heading", { name: "The latest 3 deliveries" }).waitFor()
    assert.strictEqual(await page.getByRole("img").count(), 2, "success and duration")
    assert.deepStrictEqual(await violations(page), [])
    await page.getByLabel("State").selectOption("dead_lettered")
    status = 200
    await page.getByRole("button", { name: "Redeliver 3 deliveries" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Redeliver" }).click()
    await page.getByText("3 redelivered").waitFor()
    await page.getByRole("button", { name: "Close" }).click()
    await eventually(
      "each succeeded",
      async () => (await client.deliveries.list(endpoint.id, { status: "succeeded" }).all()).length === 3
    )
    await page.getByText("No such delivery").waitFor()

    const [delivery] = await client.deliveries.list(endpoint.id).all()
    await look(page, `/webhooks/${endpoint.id}/${delivery?.id}`)
    const body = await copied("the body")
    const request = (await copied("the headers")).split("\n")
    const sent = requests.find(({ headers }) => headers["service-delivery-id"] === delivery?.id)
    assert.strictEqual(body, sent?.body)
    assert.strictEqual(request[0], `POST ${url}`)
    for (const line of request.slice(1)) {
      const [name = "", value] = line.split(": ")
      assert.strictEqual(sent?.headers[name.toLowerCase()], value, name)
    }
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("have a tester that says why a signature is not valid, and sends the secret nowhere (P294)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/webhooks/test")
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.getByLabel("Secret").fill("whsec_0123456789abcdef0123456789abcdef")
    await page.getByLabel("Signature header").fill("t=1,v1=00")
    await page.getByLabel("Body, as it came").fill('{"id":"evt_1"}')
    await page.getByRole("button", { name: "Test" }).click()
    await page.getByText("the secret is of another endpoint or was replaced").waitFor()
    assert.deepStrictEqual(asked, [])
  })
})
