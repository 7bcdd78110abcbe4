// A client in plain Node.
// @effect-diagnostics globalFetch:off
/**
 * Pages of captured calls with the most expensive messages that the proxy admits: how long they block the page's main
 * thread.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type Client, makeClient } from "@limbeck/client"
import { largeMessages } from "@limbeck/testing/fixtures/LargeMessages"
import type { Browser } from "playwright-core"
import * as Table from "./Table.ts"
import { token } from "./Token.ts"

const completion = JSON.stringify({
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }]
})

/** A model that answers every chat at once. */
const openModel = async () => {
  const server = createServer((request, response) => {
    request.resume()
    request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end(completion))
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  // It listens on a port.
  return { server, base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

const capture = async (client: Client, origin: string, messages: ReadonlyArray<unknown>): Promise<string> => {
  const answer = await fetch(`${origin}/v1/proxy/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt", messages })
  })
  await answer.arrayBuffer()
  const id = answer.headers.get("x-service-call-id") ?? ""
  for (;;) {
    const isStored = await client.calls.get(id).then(
      () => true,
      () => false
    )
    if (isStored) return id
    await sleep(50)
  }
}

/** The longest task since the page began, in milliseconds; tasks below 50 ms are not reported by the browser. */
const watchTasks = () => {
  const tasks = { longest: 0 }
  Object.assign(window, { tasks })
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.longest = Math.max(tasks.longest, duration)
  }).observe({ type: "longtask", buffered: true })
}

const measureOne = async (browser: Browser, origin: string, id: string) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addInitScript((secret) => sessionStorage.setItem("limbeck.token", secret), token)
  await context.addInitScript(watchTasks)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
  await page.goto(`${origin}/#/calls/${id}`)
  await page.locator("details").last().waitFor({ timeout: 600_000 })
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
  const { metrics } = await devtools.send("Performance.getMetrics")
  const cpuMillis = 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN)
  // `watchTasks` has put it there, in a page that shares no types with this program.
  const longest = await page.evaluate(
    () => (window as unknown as { readonly tasks: { readonly longest: number } }).tasks.longest
  )
  await context.close()
  return { cpuMillis, longest }
}

export const measure = async (browser: Browser, origin: string): Promise<void> => {
  const client = makeClient({ baseUrl: origin, token })
  const { base_url, server } = await openModel()
  await client.sources.create({ name: "model", kind: "byok", base_url, models: ["gpt"], default: true })
  const rows: Array<ReadonlyArray<string>> = []
  for (const [name, messages] of Object.entries(largeMessages)) {
    const id = await capture(client, origin, messages)
    const { cpuMillis, longest } = await measureOne(browser, origin, id)
    rows.push([name, Table.figure(cpuMillis), longest === 0 ? "< 50" : Table.figure(longest)])
  }
  server.close()
  Table.print("The page of one captured call", ["its messages", "CPU ms of the main thread", "longest task, ms"], rows)
}
