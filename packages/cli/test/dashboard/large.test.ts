// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** Texts and lists of any size in the dashboard: pages draw a bounded part, and show more on demand. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { eventually } from "@limbeck/testing/Eventually"
import { largeMessages, textOf } from "@limbeck/testing/fixtures/LargeMessages"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

/** The size of all drawn content in `main`, and of the longest JSON parsed by the page. */
const drawn = (page: Page) =>
  page.evaluate(() => {
    const main = document.querySelector("main")
    // `watchParsing` has put it there, in a page that shares no types with the test.
    const { parsed } = window as unknown as { readonly parsed: { longest: number } }
    return {
      characters: main?.textContent?.length ?? 0,
      elements: main?.querySelectorAll("*").length ?? 0,
      parsed: parsed.longest
    }
  })

/** Runs in the page, before it does. */
const watchParsing = () => {
  const parsed = { longest: 0 }
  Object.assign(window, { parsed })
  const { parse } = JSON
  JSON.parse = (text, reviver) => {
    parsed.longest = Math.max(parsed.longest, text.length)
    return parse(text, reviver)
  }
}

const assertBounded = async (page: Page, what: string) => {
  const { characters, elements, parsed } = await drawn(page)
  assert.isAtMost(characters, 60_000, what)
  assert.isAtMost(elements, 1_500, what)
  assert.isAtMost(parsed, 300_000, what)
}

const ask = async (origin: string, model: string, messages: ReadonlyArray<unknown>) => {
  const answer = await fetch(`${origin}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${Servers.liveToken}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages })
  })
  await answer.arrayBuffer()
}

/** A call of each shape, by its name. */
const capture = async (origin: string, client: Client) => {
  const calls = new Map<string, string>()
  for (const [name, messages] of Object.entries(largeMessages)) {
    await ask(origin, "gpt", messages)
    const id = await eventually(`the call of ${name} is stored`, async () => {
      const [call] = (await client.calls.list({ limit: 1 }).page()).data
      return call !== undefined && ![...calls.values()].includes(call.id) && call.id
    })
    calls.set(name, id)
  }
  return calls
}

/** A version with rows of the maximum size. */
const largeVersion = async (client: Client): Promise<string> => {
  const rows = Array.from({ length: 12 }, (_, number) => {
    const messages = Array.from({ length: 500 }, () => ({ role: "user", content: textOf(1_000, "row") }))
    return JSON.stringify({ messages: [...messages, { role: "user", content: `row ${number}` }], completion: "yes" })
  })
  const upload = await client.uploads.send(rows.join("\n"), { filename: "rows.jsonl" })
  await client.uploads.wait(upload.id)
  const dataset = await client.datasets.create({ name: "rows" })
  const version = await client.datasetVersions.create(dataset.id, { from: { upload: upload.id } })
  await client.datasetVersions.wait(version.id)
  return version.id
}

describe.skipIf(hindrance !== undefined)("texts of any size in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const models = new Models()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  let client: Client
  let calls: ReadonlyMap<string, string>
  let version = ""
  beforeAll(async () => {
    await models.open()
    await server.start()
    client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const base_url = models.speaking(`${textOf(4 * 1024 ** 2, "answer ")}the end`)
    await client.sources.create({
      name: "teacher",
      kind: "byok",
      base_url,
      api_key: key,
      models: ["gpt"],
      default: true
    })
    calls = await capture(server.origin, client)
    version = await largeVersion(client)
  }, 300_000)
  afterAll(() => models.close())

  const open = async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await page.addInitScript(watchParsing)
    await page.reload()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    return { eyes, page }
  }

  it("is drawn a part at a time on every page that shows it, and parsed beside the page (P903)", async () => {
    const { eyes, page } = await open()
    for (const [name, id] of calls) {
      await look(page, `/calls/${id}`)
      await assertBounded(page, name)
    }
    for (const place of ["/calls", "/", `/data/versions/${version}`]) {
      await look(page, place)
      await assertBounded(page, place)
    }
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("is drawn to its end for whoever asks: of a text, of messages, and of JSON (P903)", async () => {
    const { page } = await open()
    await look(page, `/calls/${calls.get("one line")}`)
    const shown = () =>
      page
        .locator(".message-text")
        .first()
        .evaluate(({ parentElement }) => parentElement?.textContent)
    const before = (await shown())?.length ?? 0
    await page.getByRole("button", { name: "More of message 1" }).first().click()
    await page.waitForFunction(() => document.querySelectorAll(".message.user .message-text").length === 2)
    assert.isAbove((await shown())?.length ?? 0, before + 3_000)
    assert.match((await shown()) ?? "", /^user(line ){1500}/)
    await look(page, `/calls/${calls.get("20,000 texts")}`)
    await page.getByRole("button", { name: "Show more of 19,980 messages" }).click()
    await page.getByText("text 39", { exact: true }).waitFor()
    await page.getByText("Request as JSON").click()
    await page.getByRole("button", { name: "More of Request" }).click()
    await page.waitForFunction(() => document.querySelectorAll("[aria-label=Request] pre").length === 2)
    const json = await page.getByLabel("Request", { exact: true }).locator("pre").allTextContents()
    const whole = JSON.stringify({ model: "gpt", messages: largeMessages["20,000 texts"] }, null, 2)
    assert.isTrue(whole.startsWith(json.join("")))
  })

  it("can be deleted before it has come (P904)", async () => {
    const { page } = await open()
    const held = Promise.withResolvers<void>()
    const id = calls.get("60,000 objects") ?? ""
    await page.route(`**/v1/distill/calls/${id}`, async (route) => {
      if (route.request().method() === "GET") await held.promise
      return route.continue()
    })
    await page.evaluate((place) => {
      location.hash = place
    }, `/calls/${id}`)
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await eventually("the call is gone", async () =>
      client.calls.get(id).then(
        () => false,
        () => true
      )
    )
    held.resolve()
  })
})
