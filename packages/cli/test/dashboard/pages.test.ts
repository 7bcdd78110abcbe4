/** Every page: for readers who cannot see it, on a phone, and against texts that would be scripts. */

import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Models } from "@limbeck/testing/upstream/Models"
import axe from "axe-core"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { Eyes, hindrance, look } from "./Browser.ts"
import { corpus, type Seeded, seed } from "./Seed.ts"

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

describe.skipIf(hindrance !== undefined)("every page of the dashboard", () => {
  const models = new Models()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  let seeded: Seeded
  beforeAll(async () => {
    await models.open()
    await server.start()
    seeded = await seed(server.origin, models)
  })
  afterAll(() => models.close())

  for (const colorScheme of ["light", "dark"] as const) {
    it(`has nothing that axe-core objects to, ${colorScheme} (P292)`, async () => {
      const eyes = await Eyes.open(afterAll)
      const page = await eyes.signedIn(server.origin, Servers.liveToken, { colorScheme })
      for (const place of seeded.places) {
        await look(page, place)
        assert.deepStrictEqual(await violations(page), [], place)
      }
      assert.deepStrictEqual(eyes.faults.errors, [])
    })
  }

  it("is no wider than a phone (P292)", async () => {
    const eyes = await Eyes.open(afterAll)
    const page = await eyes.signedIn(server.origin, Servers.liveToken, { viewport: { width: 390, height: 844 } })
    for (const place of seeded.places) {
      await look(page, place)
      assert.deepStrictEqual(await tooWide(page), [], place)
    }
  })

  it("shows hostile texts as texts: no script runs, and the policy has nothing to forbid (P293)", async () => {
    assert.isAtLeast(new Set(corpus).size, 200)
    const eyes = await Eyes.open(afterAll)
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
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
