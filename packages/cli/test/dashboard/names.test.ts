// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** Names and roles of strangers in the dashboard: they stay in their place, whatever their length, direction and words. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import type { SeedData } from "./Seed.ts"
import { seededServer } from "./SeededServer.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

/**
 * Without a blank, with a mark that turns what follows; each begins with letters that no word of ours begins with. As long as a label
 * may be. The ninth becomes a header, which has no such mark.
 */
const texts = Array.from({ length: 200 }, (_, number) => `zz${number}${number === 9 ? "" : "\u202e"}${"W".repeat(90)}`)

/** CSS classes of the dashboard, used as roles of messages. */
const roles = ["skip", "dialog", "items-row", "backdrop", "constructor", "zzrole"]

/** Classes, ids and other names of elements that contain a stranger's text. */
const taken = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const names = ["class", "id", "name", "for", "style", "role", "aria-controls", "aria-labelledby"]
    return [...document.querySelectorAll("*")].flatMap((element) =>
      [...element.attributes]
        .filter(({ name, value }) => (names.includes(name) || name.startsWith("data-")) && value.includes("zz"))
        .map(({ name, value }) => `${element.localName} ${name}=${value.slice(0, 60)}`)
    )
  })

/** Texts with direction marks on a line with other text, without isolation. */
const turning = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    const contained = (node: Node): boolean => {
      for (let place = node.parentElement; place !== null; place = place.parentElement) {
        const { display, unicodeBidi } = getComputedStyle(place)
        if (/isolate|plaintext/.test(unicodeBidi)) return true
        if (!display.startsWith("inline") || display !== "inline")
          return (place.textContent ?? "").trim() === (node.textContent ?? "").trim()
      }
      return true
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const found: Array<string> = []
    while (walker.nextNode()) {
      const { currentNode: node } = walker
      if (node.textContent?.includes("\u202e") && !contained(node))
        found.push(`${node.parentElement?.outerHTML.slice(0, 120)}`)
    }
    return found
  })

/** Charts follow a new width with the next frame. */
const resize = async (page: Page, width: number): Promise<void> => {
  await page.setViewportSize({ width, height: 844 })
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
}

describe.skipIf(hindrance !== undefined)("names of strangers in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  let server: Servers.Server
  let seeded: SeedData
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    ;({ seeded, server } = await seededServer(atEnd, texts, "no"))
  })

  it("make no page wider than a phone or a desk's screen, turn nothing around beside them, and name no element (P905, P906)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    for (const place of seeded.places) {
      await look(page, place)
      for (const width of [1280, 390]) {
        await resize(page, width)
        assert.deepStrictEqual(await tooWide(page), [], `${place} on ${width} pixels`)
        assert.deepStrictEqual(await turning(page), [], `${place} on ${width} pixels`)
      }
      assert.deepStrictEqual(await taken(page), [], place)
      assert.notMatch(await page.title(), /\u202e/, place)
    }
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("show every message of a call, whatever its role (P905)", async () => {
    const client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    await fetch(`${server.origin}/v1/proxy/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${Servers.liveToken}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt", messages: roles.map((role) => ({ role, content: `said by ${role}` })) })
    })
    const call = await eventually("the call is stored", async () => {
      const { data } = await client.calls.list({ text: "said by zzrole", limit: 1 }).page()
      return data[0]?.id
    })
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, `/calls/${call}`)
    const main = (await page.locator("main").boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
    const messages = page.getByRole("list", { name: "Messages of the request" }).getByRole("listitem")
    assert.strictEqual(await messages.count(), roles.length)
    for (const message of await messages.all()) {
      const box = await message.boundingBox()
      assert.isTrue(box !== null && box.x >= main.x && box.y >= main.y && box.x + box.width <= main.x + main.width)
    }
    assert.deepStrictEqual(await taken(page), [])
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API token").waitFor()
  })
})
