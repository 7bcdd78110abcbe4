/**
 * The dashboard over 10,000 runs and 1,000,000 deliveries in Postgres, copied from one real row of each. Measures the time
 * until a page is usable, and the frame rate while a list of 100,000 rows scrolls, in a real Chromium on the same machine.
 * Also pages of calls that are expensive to draw.
 */
import { existsSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type Client, makeClient } from "@limbeck/client"
import { type Browser, chromium, type Page } from "playwright-core"
import * as Copies from "./Copies.ts"
import * as LargeCalls from "./LargeCalls.ts"
import * as Postgres from "./Postgres.ts"
import * as Standalone from "./Standalone.ts"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const runs = Number(process.env["BENCH_RUNS"] ?? 10_000)
const deliveries = Number(process.env["BENCH_DELIVERIES"] ?? 1_000_000)
const listed = Number(process.env["BENCH_ROWS"] ?? 100_000)
const rounds = 5

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
const executablePath = process.env["CHROMIUM"] ?? places.find((place) => existsSync(place))

const lines = Array.from({ length: 60 }, (_, number) => {
  const label = number % 2 === 0 ? "left" : "right"
  return JSON.stringify({ messages: [{ role: "user", content: `${label} ${number}` }], completion: label })
}).join("\n")

/** A rehearsal and a delivery, each as the server makes it; returns the endpoint. */
const originals = async (client: Client): Promise<string> => {
  const url = "https://127.0.0.1:1/"
  const endpoint = await client.webhookEndpoints.create({ url, enabled_events: ["distill.upload.succeeded"] })
  const upload = await client.uploads.send(lines, { filename: "rows.jsonl" })
  await client.uploads.wait(upload.id)
  const dataset = await client.datasets.create({ name: "rows" })
  const version = await client.datasetVersions.create(dataset.id, { from: { upload: upload.id } })
  await client.datasetVersions.wait(version.id)
  const { compute, recipe } = await plan(client, version.id)
  const run = await client.runs.create({
    ...{ dataset_version: version.id, recipe, compute, name: "copied" },
    ...{ budget: { max_cost_usd: 5 }, dry_run: true }
  })
  await client.runs.wait(run.id)
  await client.webhookEndpoints.update(endpoint.id, { status: "disabled" })
  for (;;) {
    const { data } = await client.deliveries.list(endpoint.id).page()
    if (data[0]?.status === "dead_lettered") return endpoint.id
    await sleep(100)
  }
}

const plan = async (client: Client, dataset_version: string) => {
  const { compute, rewards, stages, student_model } = await client.recipes.propose({
    ...{ dataset_version, objective: "cost" as const, max_cost_usd: 5 }
  })
  return { compute: { profile: compute.profile }, recipe: { student_model, stages, rewards } }
}

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN

/** Somebody who signed in before, at a place: nothing is in the browser's cache. */
const arrive = async (browser: Browser, origin: string, place: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addInitScript((secret) => sessionStorage.setItem("limbeck.token", secret), token)
  const page = await context.newPage()
  await page.goto(`${origin}/#${place}`)
  return page
}

/** Milliseconds from the page's request until `shown` is visible and usable. */
const usableAfter = async (browser: Browser, origin: string, place: string, shown: string): Promise<number> => {
  const times: Array<number> = []
  for (let round = 0; round < rounds; round++) {
    const page = await arrive(browser, origin, place)
    const found = await page.waitForFunction(
      (selector) => (document.querySelector(selector) === null ? 0 : performance.now()),
      shown,
      { polling: "raf" }
    )
    times.push(await found.jsonValue())
    await page.context().close()
  }
  return median(times)
}

/** Scrolls to the end of the loaded rows until no more rows load. */
const load = async (page: Page): Promise<void> => {
  await page.locator(".items-row").first().waitFor()
  await page.evaluate(async (rows) => {
    const frame = () => new Promise(requestAnimationFrame)
    const body = document.querySelector(".items-body")
    while ((body?.clientHeight ?? 0) < rows * 44) {
      scrollTo(0, document.documentElement.scrollHeight)
      await frame()
    }
    scrollTo(0, 0)
    await frame()
  }, listed)
}

/** Milliseconds of each frame while the list moves by so many pixels in each. */
const frames = (page: Page, pixels: number): Promise<ReadonlyArray<number>> =>
  page.evaluate(async (step) => {
    const taken: Array<number> = []
    let before = await new Promise(requestAnimationFrame)
    for (let frame = 0; frame < 300; frame++) {
      scrollBy(0, step)
      const now = await new Promise(requestAnimationFrame)
      taken.push(now - before)
      before = now
    }
    return taken
  }, pixels)

/** What the page's main thread has spent: unlike the frames, no other work on the machine changes it. */
const cpuMillis = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
  return async () => {
    const { metrics } = await devtools.send("Performance.getMetrics")
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN)
  }
}

const measure = async (browser: Browser, origin: string, endpoint: string) => {
  const pages = [
    ["Home", "/", ".loop .badge"],
    ["Runs", "/runs", ".items-row"],
    ["Webhooks", "/webhooks", ".items-row"],
    ["One endpoint", `/webhooks/${endpoint}`, ".figure-value"],
    ["Its deliveries", `/webhooks/${endpoint}`, ".items-row"]
  ] as const
  const usable: Array<ReadonlyArray<string>> = []
  for (const [name, place, shown] of pages) {
    usable.push([name, Table.figure(await usableAfter(browser, origin, place, shown))])
  }
  Table.print(`Usable after, over ${runs} runs and ${deliveries} deliveries`, ["page", "ms"], usable)
  const page = await arrive(browser, origin, `/webhooks/${endpoint}`)
  await load(page)
  const scrolled: Array<ReadonlyArray<string>> = []
  const cpu = await cpuMillis(page)
  for (const pixels of [100, 1_000, 10_000]) {
    const before = await cpu()
    const taken = (await frames(page, pixels)).toSorted((one, other) => one - other)
    const spent = ((await cpu()) - before) / taken.length
    const mean = taken.reduce((sum, millis) => sum + millis, 0) / taken.length
    const late = taken.filter((millis) => millis > 25).length
    scrolled.push([
      String(pixels),
      Table.figure(spent, 1),
      Table.figure(1_000 / mean, 1),
      Table.figure(taken.at(-3), 1),
      String(late)
    ])
  }
  const head = ["pixels a frame", "CPU ms a frame", "frames/s", "99 % of frames within, ms", "over 25 ms, of 300"]
  Table.print(`Scrolling ${listed} deliveries`, head, scrolled)
}

const withBrowser = async (use: (browser: Browser) => Promise<void>) => {
  if (executablePath === undefined) throw new Error("No Chromium on this machine: name one in CHROMIUM")
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] })
  try {
    await use(browser)
  } finally {
    await browser.close()
  }
}

const measureLists = () =>
  Postgres.use((url) =>
    Standalone.use(
      async ({ origin }) => {
        const endpoint = await originals(makeClient({ baseUrl: origin, token }))
        await Copies.make(url, { runs, deliveries })
        await withBrowser((browser) => measure(browser, origin, endpoint))
      },
      [],
      { STORAGE: "postgres", DATABASE_URL: url }
    )
  )

const measureCalls = () =>
  Standalone.use(({ origin }) => withBrowser((browser) => LargeCalls.measure(browser, origin)), [], {
    STORAGE: "memory"
  })

/** `lists`, `calls`, or both. */
export const main = async (parts: ReadonlyArray<string> = []): Promise<void> => {
  if (parts.length === 0 || parts.includes("lists")) await measureLists()
  if (parts.length === 0 || parts.includes("calls")) await measureCalls()
}
