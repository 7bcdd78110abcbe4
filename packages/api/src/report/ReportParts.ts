/** Building blocks of a report's page: readable figures, tables, lists, sections. */

import { type Html, html, type Part } from "./Html.ts"
import type { ShownReport } from "./ShownReport.ts"

type Interval = Pick<NonNullable<ShownReport["rewards"][number]["interval"]>, "low" | "high"> | null

export const none = html`<span class="soft">–</span>`

/** A readable figure; the element's value has full precision. */
const figure = (value: number | null, show: (value: number) => string): Html =>
  value === null ? none : html`<data value="${value}">${show(value)}</data>`

const rounded = (digits: number) => (value: number) => String(Number(value.toFixed(digits)))
export const score = (value: number | null): Html => figure(value, (shown) => shown.toFixed(3))
export const share = (value: number | null): Html => figure(value, (shown) => `${(100 * shown).toFixed(1)} %`)
export const count = (value: number | null): Html => figure(value, String)
/** Effective rows are no whole numbers. */
export const effectiveRows = (value: number): Html => figure(value, rounded(1))
export const millis = (value: number | null): Html => figure(value, rounded(2))
export const usd = (value: number | null): Html => figure(value, (shown) => `$${rounded(6)(shown)}`)
export const seconds = (value: number | null): Html => figure(value, rounded(3))

export const intervalText = (interval: Interval, show: (value: number) => Html): Html =>
  interval === null ? none : html`${show(interval.low)} to ${show(interval.high)}`

export const table = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Part>>
): Html => html`
<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table>
<caption>${caption}</caption>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map(
  ([first = "", ...rest]) => html`
<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`
)}
</tbody>
</table></div>`

/** Rows of a table that is drawn; a report may have a thousand labels, and browsers lay out all of a table at once. */
const rowsMax = 100

/** The first rows, and how many more the report has as JSON. */
export const longTable = (
  caption: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<Part>>
): Part =>
  rows.length <= rowsMax
    ? table(caption, head, rows)
    : [
        table(caption, head, rows.slice(0, rowsMax)),
        missing(`These are the first ${rowsMax} of ${rows.length}. The report as JSON has all of them.`)
      ]

/** Characters of a text that is drawn. */
const textMax = 4_000

export const opening = (text: string): string =>
  text.length <= textMax
    ? text
    : `${text.slice(0, textMax)}…\n(${text.length - textMax} characters more in the report as JSON)`

export const list = (entries: ReadonlyArray<readonly [term: string, what: Part]>): Html =>
  html`<dl>${entries.map(([term, what]) => html`<dt>${term}</dt><dd>${what}</dd>`)}</dl>`

export const section = (title: string, ...content: ReadonlyArray<Part>): Html => html`
<section class="card">
<h2>${title}</h2>
${content}
</section>`

/** Tables that a plot or a sentence sums up, closed at first; print opens them. */
export const folded = (...tables: ReadonlyArray<Part>): Html =>
  html`<details><summary>The figures</summary>${tables}</details>`

export const missing = (sentence: string): Html => html`<p class="soft">${sentence}</p>`

export const plotFigure = (plot: Html, caption: string): Html => html`
<figure>${plot}
<figcaption>${caption}</figcaption></figure>`
