/**
 * `npm run screenshots -- [NAME…]`: pictures of every page, or of the named ones, light, dark and phone-sized, in
 * `.screenshots`. `--write` updates README's three pictures. The server and its data are temporary.
 */
import { mkdir } from "node:fs/promises"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import type { BrowserContextOptions, Page } from "playwright-core"
import { Eyes, hindrance, look } from "../../cli/test/dashboard/Browser.ts"
import * as World from "./World.ts"

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } }
}

const folder = ".screenshots"

const enter = async (page: Page, link: string) => {
  // Only the fragment differs, so a browser would not reload.
  await page.goto("about:blank")
  await page.goto(link)
  await page.getByRole("button", { name: /^Sign in as/ }).click()
  await page.getByRole("navigation", { name: "Main" }).waitFor()
}

/** Pixels; a list of thousands of rows is cut here. */
const heightMax = 4_000

/** README's pictures: small, for quick loading. */
const pictures: ReadonlyArray<readonly [place: string, look: string]> = [
  ["home", "light"],
  ["report", "light"],
  ["deployment", "dark"]
]

const write = async (atEnd: AtEnd, { link, origin, places }: World.World) => {
  const eyes = await Eyes.open(atEnd)
  for (const [place, name] of pictures) {
    const page = await eyes.page(origin, { ...looks[name], viewport: { width: 1200, height: 860 } })
    await enter(page, await link())
    await look(page, places[place] ?? "/")
    await page.waitForLoadState("networkidle")
    await page.screenshot({ path: `docs/pictures/${place}.png` })
  }
}

const take = async (atEnd: AtEnd, { link, origin, places, shared }: World.World, wanted: ReadonlyArray<string>) => {
  const eyes = await Eyes.open(atEnd)
  for (const [name, options] of Object.entries(looks)) {
    const page = await eyes.page(origin, options)
    const size = page.viewportSize() ?? { width: 1280, height: 900 }
    const isWanted = ([place]: readonly [string, string]) => wanted.length === 0 || wanted.includes(place)
    if (isWanted(["sign-in", ""])) await page.screenshot({ path: `${folder}/sign-in-${name}.png` })
    await enter(page, await link())
    for (const [place, hash] of Object.entries(places).filter(isWanted)) {
      await look(page, hash)
      await page.waitForLoadState("networkidle")
      // A list renders only its visible rows.
      const height = await page.evaluate(() => document.documentElement.scrollHeight)
      await page.setViewportSize({ ...size, height: Math.min(heightMax, Math.max(size.height, height)) })
      await page.screenshot({ path: `${folder}/${place}-${name}.png` })
      await page.setViewportSize(size)
    }
    if (isWanted(["shared", shared])) {
      await page.goto(shared)
      await page.screenshot({ path: `${folder}/shared-${name}.png`, fullPage: true })
    }
  }
  if (eyes.faults.errors.length > 0) throw new Error(eyes.faults.errors.join("\n"))
}

if (hindrance !== undefined) process.exit(1)
await mkdir(folder, { recursive: true })
const ends: Array<() => Promise<void> | void> = []
try {
  const atEnd: AtEnd = (undo) => void ends.unshift(undo)
  const world = await World.open(atEnd)
  const wanted = process.argv.slice(2)
  if (wanted.includes("--write")) await write(atEnd, world)
  else await take(atEnd, world, wanted)
} finally {
  for (const end of ends) await end()
}
process.exit()
