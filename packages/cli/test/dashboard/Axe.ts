/** What is wrong with a page for readers who cannot see it. */
import axe from "axe-core"
import type { Page } from "playwright-core"

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** What axe-core looks for: everything, or only what the colors of a page can violate. */
const optionsOf = {
  all: {},
  colors: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } }
}

/** What axe-core finds wrong with the page as it is now. */
export const violations = async (page: Page, rules: keyof typeof optionsOf = "all"): Promise<ReadonlyArray<string>> => {
  // A page has it until it is loaded anew.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source)
  const run = `axe.run(${JSON.stringify(optionsOf[rules])}).then(({ violations }) => violations)`
  const found = (await page.evaluate(run)) as ReadonlyArray<Violation>
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map(({ html }) => html)
        .join(" | ")
        .slice(0, 300)}`
  )
}
