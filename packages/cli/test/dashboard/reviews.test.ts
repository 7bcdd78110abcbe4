/** A review queue by keyboard: right, wrong, another answer, skip and undo, from the page of a version. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const rows = [...new Map(tickets({ rows: 60, seed: 1 }).map((row) => [row.messages.at(-1)?.content, row])).values()]

describe.skipIf(hindrance !== undefined)("a review queue in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const atEnd = fromHooks(afterAll)
  let client: Client
  let origin: string
  let version: string
  beforeAll(async () => {
    const server = await new Servers.Server(atEnd, { ...Servers.quiet, STORAGE: "memory" }).start()
    origin = server.origin
    client = makeClient({ baseUrl: origin, token: Servers.liveToken })
    const upload = await client.uploads.send(rows.map((row) => JSON.stringify(row)).join("\n"), { filename: "a.jsonl" })
    await client.uploads.wait(upload.id)
    const dataset = await client.datasets.create({ name: "desk" })
    const made = await client.datasetVersions.create(dataset.id, { from: { upload: upload.id }, holdout_fraction: 0.5 })
    version = (await client.datasetVersions.wait(made.id)).id
  })

  const judgedIs = (page: Page, judged: number, left: number) =>
    page.waitForFunction((figures) => {
      const values = [...document.querySelectorAll(".figure-value")].map(({ textContent }) => textContent)
      return values.join(" ") === figures
    }, `${judged} ${left}`)

  it("takes each press of a key as one verdict, and takes the last one back (P1571)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(origin)
    await look(page, `/data/versions/${version}`)
    await page.getByRole("button", { name: /^Review \d+ holdout rows$/ }).click()
    await page.waitForURL(/#\/review\/rvq_/)
    const id = page.url().split("/").at(-1) ?? ""
    const { entries } = await client.reviewQueues.get(id)
    await judgedIs(page, 0, entries)
    const answers = async () => (await client.feedback.list({ limit: 100 }).page()).data
    const press = async (key: string, judged: number, left: number) => {
      await page.keyboard.press(key)
      await judgedIs(page, judged, left)
    }
    await press("y", 1, entries - 1)
    await press("n", 2, entries - 2)
    await press("1", 3, entries - 3)
    await press("s", 3, entries - 4)
    await press("u", 3, entries - 3)
    await press("s", 3, entries - 4)
    assert.deepStrictEqual(
      (await answers()).map(({ name, value }) => [name, value]),
      [
        ["correction", 0],
        ["correct", 0],
        ["correct", 1]
      ]
    )
    const [{ by, skipped, verdicts } = { by: null, skipped: 0, verdicts: 0 }] = (await client.reviewQueues.get(id))
      .people
    assert.deepStrictEqual([by?.kind, verdicts, skipped], ["token", 4, 1])
    assert.deepStrictEqual([await violations(page), await tooWide(page)], [[], []])
    // The version page links to the same queue at the same entry.
    await look(page, `/data/versions/${version}`)
    await page.getByRole("button", { name: /^Review \d+ holdout rows$/ }).click()
    await page.waitForURL(new RegExp(`#/review/${id}`))
    await judgedIs(page, 3, entries - 4)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
