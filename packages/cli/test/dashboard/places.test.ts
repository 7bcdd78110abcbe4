// A client in plain Node.
// @effect-diagnostics globalFetch:off
/** Switching workspace or mode in the dashboard: every page shows the new place's data, and none of the old. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import { runHere } from "../InProcess.ts"
import * as Servers from "../Server.ts"
import { hindrance, look } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

/** A workspace in one mode. Its resources have its word in their names; each place captured another number of calls. */
interface Place {
  readonly word: string
  readonly calls: number
  readonly client: Client
  /** Marks unique to this place, by page. */
  readonly marks: Readonly<Record<string, string>>
  readonly dataset: string
  readonly token: string
}

const rows = Array.from({ length: 60 }, (_, number) => {
  const label = number % 2 === 0 ? "left" : "right"
  return JSON.stringify({ messages: [{ role: "user", content: `${label} ${number}` }], completion: label })
}).join("\n")

/** A rehearsal, which every mode has, and its report. */
const rehearse = async (client: Client, word: string) => {
  const upload = await client.uploads.send(rows, { filename: `${word}.jsonl` })
  await client.uploads.wait(upload.id)
  const dataset = await client.datasets.create({ name: `${word} dataset` })
  const version = await client.datasetVersions.create(dataset.id, { from: { upload: upload.id } })
  await client.datasetVersions.wait(version.id)
  const { compute, rewards, stages, student_model } = await client.recipes.propose({
    ...{ dataset_version: version.id, objective: "cost" as const, max_cost_usd: 5 }
  })
  const run = await client.runs.create({
    ...{ dataset_version: version.id, name: `${word} run`, budget: { max_cost_usd: 5 }, dry_run: true },
    recipe: { student_model, stages, rewards },
    compute: { profile: compute.profile }
  })
  return { dataset: dataset.id, report: (await client.runs.wait(run.id)).report ?? "" }
}

/** Proxy calls, once stored. */
const capture = async (
  origin: string,
  secret: string,
  { calls, client, word }: Omit<Place, "marks" | "dataset" | "token">
) => {
  for (let call = 0; call < calls; call++) {
    const answer = await fetch(`${origin}/v1/proxy/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt", messages: [{ role: "user", content: `${word} question` }] })
    })
    await answer.arrayBuffer()
  }
  await eventually("the calls are stored", async () => (await client.calls.list().page()).data.length === calls)
}

const fill = async (origin: string, models: Models, secret: string, word: string, calls: number): Promise<Place> => {
  const client = makeClient({ baseUrl: origin, token: secret })
  const base_url = models.speaking("left")
  const source = { name: `${word}-source`, kind: "byok" as const, base_url, api_key: key, models: ["gpt"] }
  await client.sources.create({ ...source, default: true })
  await capture(origin, secret, { calls, client, word })
  const { dataset, report } = await rehearse(client, word)
  const student = await client.studentModels.create({
    name: `${word} student`,
    base_model: "large",
    endpoint: { base_url, model: "small", api_key: key }
  })
  const { livemode } = await client.whoami()
  const fallback = { source: source.name, model: "gpt" }
  // In test mode a student is a stub, which cannot be deployed.
  if (livemode) await client.deployments.create({ alias: word, student_model: student.id, mode: "shadow", fallback })
  await client.webhookEndpoints.create({ url: `https://hooks.example/${word}`, enabled_events: ["*"] })
  const token = await client.tokens.create({ name: `${word} token`, scopes: ["distill:read"] })
  const marks = {
    "/": `${word} dataset`,
    "/calls": `${word} question`,
    "/data": `${word} dataset`,
    "/runs": `${word} run`,
    "/reports": report,
    "/students": `${word} student`,
    "/deployments": livemode ? `svc:${word}` : "Nothing is deployed",
    "/webhooks": `https://hooks.example/${word}`,
    "/billing": `captured calls${calls}$`,
    "/sources": `${word}-source`,
    "/tokens": `${word} token`
  }
  return { word, calls, client, marks, dataset, token: token.id }
}

/** Text and link addresses of the page. */
const contents = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const main = document.querySelector("main")
    const links = [...(main?.querySelectorAll("a") ?? [])].map(({ href }) => href)
    return `${main?.textContent ?? ""} ${links.join(" ")}`
  })

describe.skipIf(hindrance !== undefined)("another workspace or mode in the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const models = new Models()
  const atEnd = fromHooks(afterAll)
  let environment: Servers.Environment
  let server: Servers.Server
  /** The live and the test mode of the first workspace, and the live mode of another. */
  let places: readonly [live: Place, test: Place, other: Place]

  const command = async (...words: ReadonlyArray<string>) => {
    const { code, stderr, stdout } = await runHere({ ...environment, PUBLIC_URL: server.origin }, words)
    assert.deepStrictEqual([code, stderr], [0, []], words.join(" "))
    return stdout.join("\n")
  }

  beforeAll(async () => {
    await models.open()
    const DATABASE_URL = await freshDatabase(atEnd)
    const DATA_DIR = await temporaryFolder(atEnd)
    environment = { ...Servers.quiet, DATABASE_URL, DATA_DIR, EGRESS_ALLOW: "127.0.0.0/8" }
    server = await new Servers.Server(atEnd, environment).start()
    const first = (await command("workspace", "list")).split(" ")[0] ?? ""
    const made = await command("workspace", "create", "--name", "another workspace")
    await command("person", "add", "ann@example.com", "--workspace", first, "--role", "owner")
    await command("person", "add", "ann@example.com", "--workspace", made.split(" ")[0] ?? "", "--role", "owner")
    const otherToken = /svc_live_\w+/.exec(made)?.[0] ?? ""
    places = [
      await fill(server.origin, models, Servers.liveToken, "amber", 2),
      await fill(server.origin, models, Servers.testToken, "birch", 3),
      await fill(server.origin, models, otherToken, "cedar", 4)
    ]
  })
  afterAll(() => models.close())

  const signedIn = async () => {
    const link = /http\S+$/.exec(await command("person", "link", "ann@example.com"))?.[0] ?? ""
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.page(server.origin)
    await page.goto("about:blank")
    await page.goto(link)
    await page.getByRole("button", { name: /^Sign in as/ }).click()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    return { eyes, page }
  }

  /** Fails when the page shows something of another place. */
  const showsOnly = async (page: Page, own: Place, at: string) => {
    const shown = await eventually(`${at} shows ${own.word}`, async () => {
      const text = await contents(page)
      return text.includes(own.marks[at] ?? "") && text
    })
    for (const { marks, word } of places.filter((place) => place !== own)) {
      assert.notInclude(shown, word, `${at} in ${own.word}`)
      assert.notInclude(shown, marks[at] ?? "", `${at} in ${own.word}`)
    }
  }

  it("shows on every page what is there, and nothing of the place before (P900)", async () => {
    const [live, test, other] = places
    const { eyes, page } = await signedIn()
    for (const at of Object.keys(live.marks)) {
      await look(page, at)
      await showsOnly(page, live, at)
      await page.getByLabel("Workspace").selectOption({ label: "another workspace" })
      await showsOnly(page, other, at)
      await page.getByLabel("Workspace").selectOption({ label: "default" })
      await showsOnly(page, live, at)
      await page.getByLabel("Mode", { exact: true }).selectOption("test")
      await showsOnly(page, test, at)
      await page.getByLabel("Mode", { exact: true }).selectOption("live")
      await showsOnly(page, live, at)
    }
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("leaves the page of one resource for its list, and a filter with it (P900)", async () => {
    const [live, test] = places
    const { page } = await signedIn()
    await look(page, `/data/datasets/${live.dataset}`)
    await page.getByRole("heading", { name: "amber dataset" }).waitFor()
    await page.getByLabel("Mode", { exact: true }).selectOption("test")
    await showsOnly(page, test, "/data")
    await look(page, "/calls")
    await page.getByLabel("Text", { exact: true }).fill("birch")
    await page.getByRole("button", { name: "Search", exact: true }).click()
    await page.waitForURL(/text=birch/)
    await page.getByLabel("Mode", { exact: true }).selectOption("live")
    await showsOnly(page, live, "/calls")
    assert.strictEqual(await page.getByLabel("Text", { exact: true }).inputValue(), "")
  })

  it("has buttons that act where the page says (P900)", async () => {
    const [live, test] = places
    const { page } = await signedIn()
    await look(page, "/tokens")
    await showsOnly(page, live, "/tokens")
    await page.getByLabel("Mode", { exact: true }).selectOption("test")
    await showsOnly(page, test, "/tokens")
    const row = page.getByRole("row").filter({ hasText: "birch token" })
    await row.getByRole("button", { name: "Revoke" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const statusOf = async ({ client, token }: Place) =>
      (await client.tokens.list().all()).find(({ id }) => id === token)?.status
    assert.notStrictEqual(await statusOf(test), "active")
    assert.strictEqual(await statusOf(live), "active")
  })

  it("is not left for what an action of the place before has made (P900)", async () => {
    const [, test] = places
    const { page } = await signedIn()
    const held = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    await page.route("**/v1/distill/datasets", async (route) => {
      if (route.request().method() !== "POST") return route.continue()
      arrived.resolve()
      await held.promise
      return route.continue()
    })
    await look(page, "/calls")
    await page.getByRole("button", { name: "Make a dataset of these" }).click()
    await page.getByLabel("Name of the dataset").fill("late")
    await page.getByRole("button", { name: "Make", exact: true }).click()
    await arrived.promise
    await page.keyboard.press("Escape")
    await page.getByLabel("Mode", { exact: true }).selectOption("test")
    await showsOnly(page, test, "/calls")
    const made = page.waitForResponse((answer) => /\/versions$/.test(answer.url()))
    held.resolve()
    await (await made).finished()
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
    await showsOnly(page, test, "/calls")
    assert.match(page.url(), /#\/calls$/)
  })
})
