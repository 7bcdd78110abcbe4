/** Connectors and their pulls: made, run, followed and changed by hand. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const row = (text: string) => JSON.stringify({ messages: [{ role: "user", content: text }], completion: "a" })

describe.skipIf(hindrance !== undefined)("connectors in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  const client = () => makeClient({ baseUrl: server.origin, token: Servers.testToken })
  let respond: RequestListener = (_, response) => response.end()
  const keys: Array<string | undefined> = []
  const files = createServer((request, response) => {
    keys.push(request.headers.authorization)
    respond(request, response)
  })
  beforeAll(async () => {
    await server.start()
    await new Promise<void>((listening) => files.listen(0, "127.0.0.1", listening))
  })
  afterAll(() => {
    files.close()
    files.closeAllConnections()
  })

  const url = () => `http://127.0.0.1:${(files.address() as AddressInfo).port}/rows.jsonl` // It listens on a port.

  const factOf = (page: Page, name: string) =>
    page
      .locator(".facts > div")
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator("dd")

  it("are made, pulled and followed to a dataset by the keyboard; lines without a row are named, and a file that is late is waited for (P1802)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    await look(page, "/data")
    await page.getByText("No connector yet").waitFor()
    await page.getByRole("button", { name: "Add a connector" }).focus()
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByLabel("Name", { exact: true }).fill("the desk's rows")
    await page.getByLabel("URL").fill("http://name:word@127.0.0.1/")
    await page.getByLabel("Authorization").fill("Bearer kept")
    await page.keyboard.press("Enter")
    await page.getByLabel("URL").and(page.locator("[aria-invalid=true]")).waitFor()
    await page.getByLabel("URL").fill(url())
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "the desk's rows", level: 1 }).waitFor()
    await page.getByText("Nothing was pulled yet").waitFor()
    assert.strictEqual(await factOf(page, "Authorization").textContent(), "stored, and never shown")

    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    respond = (_, response) => void released.then(() => response.end([row("one"), row("two")].join("\n")))
    await page.getByRole("button", { name: "Pull now" }).focus()
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Pull", level: 1 }).waitFor()
    await page.getByText("running").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    release()
    await page.getByText("succeeded").waitFor()
    assert.strictEqual(await factOf(page, "Rows").textContent(), "2")
    assert.deepStrictEqual(keys, ["Bearer kept"])
    await page.getByRole("button", { name: "Make a dataset" }).click()
    await page.getByLabel("Name of the dataset").fill("pulled")
    await page.keyboard.press("Enter")
    await page.waitForURL(/data\/versions\/dsv_/)

    respond = (_, response) => response.end([row("one"), "no row", row("two")].join("\n"))
    const [connector] = await client().connectors.list().all()
    await look(page, `/data/connectors/${connector?.id}`)
    await page.getByRole("table", { name: "Pulls" }).getByText("succeeded").waitFor()
    await page.getByRole("button", { name: "Pull now" }).click()
    await page.getByText("failed", { exact: true }).waitFor()
    const wrong = page.getByRole("table", { name: "The first 1 lines with errors" })
    assert.strictEqual(await wrong.getByRole("rowheader").textContent(), "2")
    assert.strictEqual(await page.getByRole("button", { name: "Make a dataset" }).count(), 0)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("of each kind are changed: a credential that nobody types stays, and what the server refuses is said at its field (P1803)", async () => {
    const credentials = { access_key_id: "AKIA", secret_access_key: "kept" }
    const bucket = { bucket: "rows", region: "eu-central-1", prefix: "2026/", ...credentials }
    const { id } = await client().connectors.create({ name: "bucket", kind: "s3", config: bucket })
    const stored = await client().connectors.create({
      name: "provider",
      kind: "openai_stored_completions",
      config: { api_key: "kept", metadata: { desk: "a=b", team: "one" } }
    })
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken, { viewport: { width: 390, height: 844 } })
    await look(page, `/data/connectors/${id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByLabel("Prefix").fill("")
    await page.getByLabel("Key", { exact: true }).fill("2026/rows.jsonl")
    await page.getByLabel("Region").fill("Nowhere!")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByLabel("Region").and(page.locator("[aria-invalid=true]")).waitFor()
    await page.getByLabel("Region").fill("eu-north-1")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const changed = await client().connectors.get(id)
    const mask = changed.kind === "s3" ? changed.config.access_key_id : null
    assert.isNotNull(mask)
    assert.deepStrictEqual<unknown>(changed.config, {
      bucket: "rows",
      prefix: null,
      key: "2026/rows.jsonl",
      region: "eu-north-1",
      endpoint: null,
      force_path_style: false,
      access_key_id: mask,
      secret_access_key: mask,
      session_token: null
    })
    assert.strictEqual(await factOf(page, "Key").textContent(), "2026/rows.jsonl")
    assert.deepStrictEqual(await tooWide(page), [])

    await look(page, `/data/connectors/${stored.id}`)
    await page.getByRole("button", { name: "Edit" }).click()
    assert.strictEqual(await page.getByLabel("Metadata").inputValue(), "desk=a=b\nteam=one")
    await page.getByLabel("Metadata").fill("desk=c")
    await page.getByLabel("Model").fill("gpt")
    await page.getByRole("button", { name: "Save" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const { config } = await client().connectors.get(stored.id)
    assert.deepInclude(config, { model: "gpt", metadata: { desk: "c" }, api_key: mask })

    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("heading", { name: "Data", level: 1 }).waitFor()
    assert.notInclude(
      (await client().connectors.list().all()).map(({ name }) => name),
      "provider"
    )
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("show their failure and come back: an API that fails, and one that is slow (P1804)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.testToken)
    const { id } = await client().connectors.create({ name: "slow", kind: "http_jsonl", config: { url: url() } })
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    let mode: "fails" | "waits" = "fails"
    await page.route("**/v1/distill/connectors/**", async (route) => {
      if (mode === "fails") return route.fulfill({ status: 400, json: { error: { message: "The disk is full" } } })
      await released
      return route.continue()
    })
    await look(page, `/data/connectors/${id}`)
    await page.getByRole("alert").filter({ hasText: "The disk is full" }).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    mode = "waits"
    await page.getByRole("button", { name: "Try again" }).click()
    await page.waitForFunction(() => document.querySelector("[aria-busy=true]") !== null)
    release()
    await page.getByRole("heading", { name: "slow", level: 1 }).waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
