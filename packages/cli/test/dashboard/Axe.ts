/** What is wrong with a page for readers who cannot see it. */
import axe from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** What axe-core finds wrong with the page as it is now. */
export const violations = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  const found = (await page.evaluate("axe.run().then(({ violations }) => violations)")) as ReadonlyArray<Violation>
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(" | ")
        .slice(0, 300)}`
  )
}
