// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** "Make a dataset of these": the version has the rows of the listed calls. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const fruits = ["apple", "pear", "plum"]

/** A content for each call: each fruit with each tag in each model. */
const asked = fruits.flatMap((fruit) =>
  ["shop", "desk"].flatMap((tag) =>
    ["gpt", "other"].map((model) => ({ content: `${fruit} ${tag} ${model}`, model, tag }))
  )
)

const ask = async (origin: string, { content, model, tag }: (typeof asked)[number]) => {
  const answer = await fetch(`${origin}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${Servers.liveToken}`,
      "content-type": "application/json",
      "x-service-tags": tag
    },
    body: JSON.stringify({ model, messages: [{ role: "user", content }] })
  })
  await answer.arrayBuffer()
}

const stored = (client: Client, number: number) =>
  eventually(`${number} calls are stored`, async () => {
    const { data } = await client.calls.list({ limit: 100 }).page()
    return data.length === number
  })

describe.skipIf(hindrance !== undefined)("a dataset of the listed calls", () => {
  const eyesOf = eyesOfSuite()
  let server: Servers.Server
  let client: Client
  const atEnd = fromHooks(afterAll)
  beforeAll(async () => {
    const models = new Models()
    await models.open()
    atEnd(() => models.close())
    server = await new Servers.Server(atEnd, {
      ...Servers.quiet,
      STORAGE: "memory",
      EGRESS_ALLOW: "127.0.0.0/8"
    }).start()
    client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const source = { name: "teacher", kind: "byok", api_key: key, default: true } as const
    await client.sources.create({ ...source, base_url: models.speaking("fruit") })
    for (const call of asked) await ask(server.origin, call)
    await stored(client, asked.length)
  })

  /** The contents of the version that the page makes. */
  const made = async (page: Page, name: string) => {
    await page.getByRole("button", { name: "Make a dataset of these" }).click()
    await page.getByLabel("Name of the dataset").fill(name)
    await page.getByRole("button", { name: "Make", exact: true }).click()
    await page.waitForURL(/#\/data\/versions\//)
    const version = await client.datasetVersions.wait(page.url().split("/").at(-1) ?? "")
    const rows = await client.datasetVersions.rows(version.id).all()
    // The contract leaves a row's members open.
    const messages = rows.map(
      (row) => (row as { readonly messages: ReadonlyArray<{ readonly content: string }> }).messages
    )
    return messages.map(([first]) => first?.content).toSorted()
  }

  const contentsOf = (wanted: (call: (typeof asked)[number]) => boolean) =>
    asked
      .filter(wanted)
      .map(({ content }) => content)
      .toSorted()

  it("has their rows and no others, whatever the filter, and none of calls that came later (P958)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const search = async (fields: Readonly<Record<string, string>>) => {
      await look(page, "/calls")
      for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
      await page.getByRole("button", { name: "Search", exact: true }).click()
    }
    await search({ Text: "apple" })
    await page.waitForFunction(() => document.querySelectorAll(".items-row").length === 4)
    assert.deepStrictEqual(
      await made(page, "apples"),
      contentsOf(({ content }) => content.startsWith("apple"))
    )
    await search({ Text: "pear", Tag: "desk" })
    await page.waitForFunction(() => document.querySelectorAll(".items-row").length === 2)
    // A call that the page does not list, though the filter fits.
    await ask(server.origin, { content: "pear late", model: "gpt", tag: "desk" })
    await stored(client, asked.length + 1)
    const pears = contentsOf(({ content, tag }) => content.startsWith("pear") && tag === "desk")
    assert.deepStrictEqual(await made(page, "pears"), pears)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })
})
