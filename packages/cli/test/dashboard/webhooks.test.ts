/** A failing webhook is found, and redelivered after the receiver's repair. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import * as Servers from "../Server.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

describe.skipIf(hindrance !== undefined)("webhooks in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  let status = 500
  const arrivals: Array<string> = []
  const receiver = createServer((request, response) => {
    arrivals.push(String(request.headers["service-event-id"] ?? request.url))
    request.resume()
    response.writeHead(status).end(status === 500 ? "my disk is full" : "thanks")
  })
  beforeAll(async () => {
    await server.start()
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  })
  afterAll(() => void receiver.close())

  it("are added with a secret that is shown once; failing deliveries are found and sent again, one by hand and the rest by a recovery (P294, P428)", async () => {
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
    await page.getByLabel("Event types").fill("distill.upload.succeeded, distill.run.*")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByText("the help desk").waitFor()
    const [changed] = await client.webhookEndpoints.list().all()
    assert.deepInclude(changed, {
      description: "the help desk",
      enabled_events: ["distill.upload.succeeded", "distill.run.*"],
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
      if (action === "Disable") await page.locator(".figure", { hasText: "Given up" }).getByText("2").waitFor()
    }
    await page.getByLabel("State").selectOption("dead_lettered")
    await page.getByRole("link", { name: "distill.upload.succeeded" }).first().click()
    status = 200
    await page.getByRole("button", { name: "Send again" }).click()
    await page.locator(".facts").getByText("succeeded").waitFor()
    await page.getByText("a person").waitFor()
    await page.goBack()
    await page.getByRole("button", { name: "Recover" }).click()
    const recovery = page.getByRole("dialog")
    await recovery.getByRole("button", { name: "Recover" }).click()
    await recovery.getByText("1 of 1 delivery sent again").waitFor()
    assert.strictEqual(await recovery.getByLabel("Sent again").getAttribute("value"), "1")
    await recovery.getByRole("button", { name: "Close" }).click()
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
