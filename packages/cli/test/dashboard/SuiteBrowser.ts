/** A browser that the tests of a suite share. */
import { afterAll, beforeAll } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import type { Browser } from "playwright-core"
import { Eyes, launch } from "./Browser.ts"

/**
 * One browser for all tests of a suite, to be called in its `describe`. Each page has a context of its own, so that tests share
 * neither cookies nor storage nor cache.
 *
 * @example
 * const eyesOf = eyesOfSuite()
 * it("shows the calls", async () => {
 *   const page = await eyesOf(onTestFinished).signedIn(server.origin)
 * })
 */
export const eyesOfSuite = (): ((atEnd: AtEnd) => Eyes) => {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  return (atEnd) => {
    if (browser === undefined) throw new Error("The browser runs only while the tests of its suite run")
    return new Eyes(browser, atEnd)
  }
}
