/** From an empty server to a student that is compared, without leaving the dashboard. */
import { writeFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { key, Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { hindrance } from "./Browser.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"

const words = { billing: "invoice card refund", shipping: "parcel courier tracking", returns: "size exchange wrong" }
const labels = Object.keys(words) as ReadonlyArray<keyof typeof words>

/** A ticket that says its label by its words. */
const row = (number: number) => {
  const label = labels[number % labels.length] ?? "billing"
  const [first, second, third] = words[label].split(" ")
  const content = `Ticket ${number}: ${[first, second, third][number % 3]} and ${second}, please help`
  return JSON.stringify({ messages: [{ role: "user", content }], completion: label })
}

const addSource = async (page: Page, address: string) => {
  await page.getByRole("button", { name: "Add a source" }).click()
  await page.getByLabel("Address", { exact: true }).fill(address)
  await page.getByLabel("API key").fill(key)
  await page.getByLabel("Models", { exact: true }).fill("gpt")
  await page.getByRole("button", { name: "Add", exact: true }).click()
  await page.getByText("Say where your model is (done)").waitFor()
}

const upload = async (page: Page, file: string) => {
  await page.getByRole("link", { name: "Data", exact: true }).click()
  await page.getByLabel("Drop a file here, or choose one").setInputFiles(file)
  await page.getByRole("button", { name: "Make a dataset" }).click()
  await page.getByLabel("Name of the dataset").fill("tickets")
  await page.getByRole("button", { name: "Make", exact: true }).click()
  await page.getByRole("link", { name: "Propose a student" }).click()
}

const rehearse = async (page: Page) => {
  await page.getByRole("button", { name: "Propose" }).click()
  await page.getByText("The completions are a closed set of 3 labels.").waitFor()
  await page.getByLabel("Name of the student").fill("sorter")
  await page.getByRole("button", { name: "Rehearse" }).click()
  await page.getByRole("heading", { name: "The rehearsal succeeded" }).waitFor()
}

const deploy = async (page: Page) => {
  await page.getByRole("button", { name: "Deploy…" }).click()
  await page.getByLabel("Alias").fill("sorter")
  await page.getByRole("button", { name: "Deploy", exact: true }).click()
  await page.getByRole("heading", { name: "svc:sorter", level: 1 }).waitFor()
}

/** A link that strangers can read, and then cannot. */
const shareAndWithdraw = async (page: Page) => {
  await page.getByRole("button", { name: "Share" }).click()
  await page.getByRole("button", { name: "Make a link" }).click()
  const link = (await page.getByLabel("the link", { exact: true }).textContent()) ?? ""
  await page.getByRole("button", { name: "Close" }).click()
  const statusOf = async () => (await page.request.get(link)).status()
  assert.strictEqual(await statusOf(), 200)
  await page.getByRole("button", { name: "Withdraw" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("button", { name: "Withdraw" }).click()
  await dialog.waitFor({ state: "detached" })
  assert.strictEqual(await statusOf(), 410)
}

/** A student's own server, which refuses every row, and of each only when it may: `letThrough` says how many. */
const refusing = (models: Models) => {
  const rows: Array<string> = []
  const gate = { letThrough: 3 }
  const base_url = models.base(async (request, response) => {
    const { messages } = JSON.parse((request as typeof request & { readonly sent: string }).sent)
    const row = messages.at(-1).content
    if (!rows.includes(row)) rows.push(row)
    while (rows.indexOf(row) >= gate.letThrough) await sleep(20)
    response.writeHead(422, { "content-type": "application/json" }).end('{"error":{"message":"no"}}')
  })
  return { base_url, gate }
}

const register = async (page: Page, address: string) => {
  await page.getByRole("navigation").getByRole("link", { name: "Students" }).click()
  await page.getByRole("button", { name: "Register a student" }).click()
  await page.getByLabel("Name", { exact: true }).fill("tuned elsewhere")
  await page.getByLabel("Base model").fill("large")
  await page.getByLabel("Address").fill(address)
  await page.getByLabel("Model", { exact: true }).fill("ft:large")
  await page.getByRole("button", { name: "Register", exact: true }).click()
  await page.getByRole("heading", { name: "tuned elsewhere", level: 1 }).waitFor()
}

const evaluate = async (page: Page, version: string) => {
  await page.getByRole("button", { name: "Evaluate" }).click()
  await page.getByLabel("Version").selectOption(version)
  await page.getByRole("button", { name: "Rehearse" }).click()
  await page.getByRole("button", { name: "Start the live run…" }).click()
  await page.getByRole("button", { name: "Yes, spend up to $5.00" }).click()
  await page.locator(".page-head").getByText("live", { exact: true }).waitFor()
}

/** A run's log from the reader's view, in a box of three lines. */
const logOf = (page: Page) => {
  const box = page.getByLabel("Log of the run")
  return {
    lines: async (count: number) => {
      await page.waitForFunction((least) => document.querySelectorAll(".log").length >= least, count)
      return box.evaluate(({ clientHeight, scrollHeight, scrollTop }) => ({
        top: scrollTop,
        isAtEnd: scrollHeight - scrollTop - clientHeight < 2
      }))
    },
    low: () => box.evaluate((element) => Object.assign(element.style, { maxHeight: "4rem" })),
    toTop: () =>
      box.evaluate(
        (element) =>
          new Promise((scrolled) => {
            element.addEventListener("scroll", scrolled, { once: true })
            element.scrollTop = 0
          })
      )
  }
}

describe.skipIf(hindrance !== undefined)("the dashboard", () => {
  const eyesOf = eyesOfSuite()
  const models = new Models()
  const server = new Servers.Server(afterAll, { ...Servers.quiet, STORAGE: "memory", EGRESS_ALLOW: "127.0.0.0/8" })
  beforeAll(async () => {
    await models.open()
    await server.start()
  })
  afterAll(() => models.close())

  it("leads from an empty server to the first student, and a live run waits for a person's yes; the link of its report is withdrawn (P290, P430)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await addSource(page, models.speaking("billing"))
    const file = `${await temporaryFolder(onTestFinished)}/rows.jsonl`
    await writeFile(file, Array.from({ length: 300 }, (_, number) => row(number)).join("\n"))
    await upload(page, file)
    await rehearse(page)
    const runs = async () => {
      const answer = await page.request.get(`${server.origin}/v1/distill/runs`, {
        headers: { authorization: `Bearer ${Servers.liveToken}` }
      })
      return ((await answer.json()) as { data: ReadonlyArray<{ dry_run: boolean }> }).data.map((run) => run.dry_run)
    }
    await page.getByRole("button", { name: "Start the live run…" }).click()
    assert.deepStrictEqual(await runs(), [true], "nothing is live before the yes")
    await page.getByRole("button", { name: "Yes, spend up to $5.00" }).click()
    await page.getByRole("link", { name: "Read the report" }).click()
    assert.deepStrictEqual(await runs(), [false, true])
    await page.getByRole("heading", { name: "Does it pay?" }).waitFor()
    await shareAndWithdraw(page)
    await deploy(page)
    await page.getByText("No call yet.").waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("registers a student of elsewhere, has it evaluated, and follows the log for whoever reads its end (P429, P431)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const [dataset] = await client.datasets.list().all()
    const [version] = await client.datasetVersions.list(dataset?.id ?? "").all()
    const { base_url, gate } = refusing(models)
    await register(page, base_url)
    await evaluate(page, version?.id ?? "")
    const log = logOf(page)
    await log.lines(3)
    await log.low()
    gate.letThrough = 6
    assert.isTrue((await log.lines(6)).isAtEnd, "the end is in sight as the log grows")
    await log.toTop()
    gate.letThrough = 1_000
    assert.deepStrictEqual(await log.lines(10), { top: 0, isAtEnd: false }, "who reads further up stays there")
    await page.locator(".page-head").getByText("failed").waitFor()
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("shows a stranger nothing but where a token goes (P291)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.page(server.origin)
    await page.getByLabel("API token").fill("svc_live_0000000000000000000000000000000000000000000")
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("alert").filter({ hasText: /token/i }).waitFor()
    assert.strictEqual(await page.getByRole("navigation").count(), 0)
    assert.strictEqual(await page.evaluate(() => sessionStorage.length + localStorage.length), 0)
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("keeps a token for its tab alone, and never in a URL (P291)", async () => {
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.reload()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    const other = await page.context().newPage()
    await other.goto(`${server.origin}/`)
    await other.getByLabel("API token").waitFor()
    await page.getByRole("button", { name: "Sign out" }).click()
    await page.getByLabel("API token").waitFor()
    assert.strictEqual(await page.evaluate(() => sessionStorage.length), 0)
    assert.isAbove(asked.length, 1)
    assert.isTrue(asked.every((url) => !url.includes(Servers.liveToken)))
  })
})
