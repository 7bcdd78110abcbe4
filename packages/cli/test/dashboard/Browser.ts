// Test output for its operators.
// @effect-diagnostics globalConsole:off
/** A real browser over a real server: Chromium, where this machine has one. Its headless build needs a fifth of the processor time. */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { patienceMillis } from "@limbeck/testing/Eventually"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import * as Servers from "../Server.ts"

const places = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`
)
const executablePath = process.env["CHROMIUM"] ?? places.find((place) => existsSync(place))

/** Whether `npm run prepare` has made the page. */
export const isBuilt = existsSync(fileURLToPath(new URL("../../../dashboard/dist/page/index.html", import.meta.url)))

/** Why nothing can be looked at here; undefined where it can. */
export const hindrance =
  executablePath === undefined
    ? "no Chromium on this machine"
    : isBuilt
      ? undefined
      : "the page was not built: npm run prepare"

if (hindrance !== undefined) console.error(`SKIPPED, the tests of the dashboard: ${hindrance}`)

/** As browsers describe it; TypeScript's library does not know it yet. */
interface LayoutShift extends PerformanceEntry {
  readonly value: number
  readonly sources: ReadonlyArray<{ readonly node: unknown }>
}

/** Faults of a page. */
export interface Faults {
  /** Script errors, and violations of the content policy. */
  readonly errors: Array<string>
}

/** Runs in the page, before it does. */
const watchShifts = () => {
  const moved: Array<string> = []
  Object.assign(window, { moved })
  new PerformanceObserver((list) => {
    // The DOM types lack "layout-shift" entries, the only observed ones.
    for (const entry of list.getEntries() as unknown as ReadonlyArray<LayoutShift>) {
      // Ignores shifts below a ten-thousandth, such as a changed digit.
      if (entry.value < 0.000_1) continue
      const nodes = entry.sources.map(({ node }) => (node instanceof Element ? node.outerHTML.slice(0, 120) : "text"))
      moved.push(`${entry.value} at ${location.hash}: ${nodes.join(" | ")}`)
    }
  }).observe({ type: "layout-shift", buffered: true })
}

/** Unrequested shifts since the page was loaded, by the browser's measure (Cumulative Layout Shift). */
export const shifts = (page: Page): Promise<ReadonlyArray<string>> =>
  // `watchShifts` has put it there, in a page that shares no types with the test.
  page.evaluate(() => (window as unknown as { readonly moved: ReadonlyArray<string> }).moved)

export const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
    timeout: patienceMillis
  })

/** The pages of one test, with their faults. */
export class Eyes {
  readonly #browser: Browser
  readonly #atEnd: AtEnd
  readonly faults: Faults = { errors: [] }

  constructor(browser: Browser, atEnd: AtEnd) {
    this.#browser = browser
    this.#atEnd = atEnd
  }

  /** Starts a browser of its own. */
  static async open(atEnd: AtEnd): Promise<Eyes> {
    const browser = await launch()
    atEnd(() => browser.close())
    return new Eyes(browser, atEnd)
  }

  async page(origin: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    this.#atEnd(() => context.close())
    // Detects endless waits without judging a page's speed.
    context.setDefaultTimeout(patienceMillis)
    await context.addInitScript(watchShifts)
    const page = await context.newPage()
    page.on("pageerror", (error) => this.faults.errors.push(error.message))
    page.on("console", (message) => {
      const text = message.text()
      if (/Content Security Policy/.test(text)) this.faults.errors.push(text)
    })
    await page.goto(`${origin}/`)
    return page
  }

  async signedIn(origin: string, token = Servers.liveToken, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await this.page(origin, options)
    await page.getByLabel("API token").fill(token)
    await page.getByRole("button", { name: "Sign in" }).click()
    await page.getByRole("navigation", { name: "Main" }).waitFor()
    return page
  }
}

/** Goes to a page by its place, as a link does. */
export const look = async (page: Page, place: string): Promise<void> => {
  await page.evaluate((hash) => {
    location.hash = hash
  }, place)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector("[aria-busy=true]") === null)
}

/** The elements that make the page wider than the screen. */
export const tooWide = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(() => {
    if (document.documentElement.scrollWidth <= innerWidth) return []
    const isOut = (element: Element) => element.getBoundingClientRect().right > innerWidth
    return [...document.querySelectorAll("main *")].filter(isOut).map(({ outerHTML }) => outerHTML.slice(0, 120))
  })
