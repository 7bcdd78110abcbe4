/** Every page: for readers who cannot see it, on a phone, and against texts that would be scripts. */
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type AtEnd, fromHooks } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { type Certificate, selfSigned } from "@limbeck/testing/fixtures/Certificate"
import { Models } from "@limbeck/testing/upstream/Models"
import axe from "axe-core"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { Eyes, hindrance, look } from "./Browser.ts"
import { answered, corpus, type Seeded, seed } from "./Seed.ts"

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** What axe-core finds wrong with the page as it is now. */
const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as ReadonlyArray<Violation>
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(" | ")
        .slice(0, 300)}`
  )
}

/** What makes the page wider than the screen, if it is. */
const tooWide = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return []
    const isOut = (element: Element) => element.getBoundingClientRect().right > innerWidth
    return [...document.querySelectorAll("main *")].filter(isOut).map(({ outerHTML }) => outerHTML.slice(0, 120))
  })

/** A receiver that fails with a text that would be a script. */
const failing = async (atEnd: AtEnd, certificate: Certificate): Promise<string> => {
  const receiver = createServer(certificate, (request, response) => {
    request.resume()
    response.writeHead(500, { "content-type": "text/html", "x-said": answered }).end(answered)
  })
  await once(receiver.listen(0, "127.0.0.1"), "listening")
  atEnd(() => {
    receiver.close()
    receiver.closeAllConnections()
  })
  return `https://127.0.0.1:${(receiver.address() as AddressInfo).port}` // It listens on a port.
}

describe.skipIf(hindrance !== undefined)("every page of the dashboard", () => {
  const models = new Models()
  let server: Servers.Server
  let seeded: Seeded
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    await models.open()
    const certificate = selfSigned("127.0.0.1")
    const NODE_EXTRA_CA_CERTS = `${await temporaryFolder(atEnd)}/authority.pem`
    await writeFile(NODE_EXTRA_CA_CERTS, certificate.cert)
    const environment = { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8", NODE_EXTRA_CA_CERTS }
    server = await new Servers.Server(atEnd, environment).start()
    seeded = await seed(server.origin, models, await failing(atEnd, certificate))
  })
  afterAll(() => models.close())

  for (const colorScheme of ["light", "dark"] as const) {
    it(`has nothing that axe-core objects to, ${colorScheme} (P292)`, async () => {
      const eyes = await Eyes.open(onTestFinished)
      const page = await eyes.signedIn(server.origin, Servers.liveToken, { colorScheme })
      for (const place of seeded.places) {
        await look(page, place)
        assert.deepStrictEqual(await violations(page), [], place)
      }
      assert.deepStrictEqual(eyes.faults.errors, [])
    })
  }

  it("is no wider than a phone (P292)", async () => {
    const eyes = await Eyes.open(onTestFinished)
    const page = await eyes.signedIn(server.origin, Servers.liveToken, { viewport: { width: 390, height: 844 } })
    for (const place of seeded.places) {
      await look(page, place)
      assert.deepStrictEqual(await tooWide(page), [], place)
    }
  })

  it("shows hostile texts as texts: no script runs, and the policy has nothing to forbid (P293)", async () => {
    assert.isAtLeast(new Set(corpus).size, 200)
    const eyes = await Eyes.open(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    for (const place of seeded.places) {
      await look(page, place)
      const found = await page.evaluate(() => ({
        hacked: "hacked" in window,
        elements: document.querySelectorAll(
          "iframe, object, embed, script:not([src]), [onerror], [onload], a[href^='javascript:']"
        ).length
      }))
      assert.deepStrictEqual(found, { hacked: false, elements: 0 }, place)
    }
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
    const eyes = await Eyes.open(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const outcome = () => page.getByLabel("Outcome").inputValue()
    await look(page, "/calls")
    await page.getByLabel("Outcome").selectOption("failed")
    await page.getByRole("button", { name: "Filter", exact: true }).click()
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

  it("has a shared page of a report for strangers: whole without a script, for all readers, on a phone too; the dashboard shows the same (P350, P333)", async () => {
    const eyes = await Eyes.open(onTestFinished)
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await eyes.page(server.origin, { colorScheme, viewport: { width: 390, height: 844 } })
      await page.goto(seeded.shared)
      await page.getByRole("heading", { name: "Does it pay?" }).waitFor()
      assert.deepStrictEqual(await page.evaluate(() => document.scripts.length + sessionStorage.length), 0)
      assert.deepStrictEqual(await violations(page), [], colorScheme)
      assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 390)
    }
    const shownIn = (page: Page) => page.locator(".report").innerHTML()
    const shared = await eyes.page(server.origin)
    await shared.goto(seeded.shared)
    const own = await eyes.signedIn(server.origin)
    await look(own, seeded.places.find((place) => place.startsWith("/reports/")) ?? "")
    assert.strictEqual(await shownIn(own), await shownIn(shared), "the dashboard shows the same parts")
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
