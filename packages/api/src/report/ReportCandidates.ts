/** Hosted models that answered the same rows, and which way to answer is the cheapest that is good enough. */
import { type Html, html } from "./Html.ts"
import { count, millis, none, section, share, table, usd } from "./ReportParts.ts"
import type { ShownReport } from "./ShownReport.ts"

type Cheapest = NonNullable<ShownReport["cheapest_alternative"]>

const sentence = ({ cost_per_1000_calls_usd: cost, kind, name, tied_with: tied }: Cheapest): Html => {
  const others = tied.length === 0 ? "" : ` Tied with it: ${tied.join(", ")}.`
  const what = kind === "teacher" ? "the teacher" : html`the ${kind} <bdi>${name}</bdi>`
  return html`<p>The cheapest that is not worse than the teacher by more than 2 points is ${what}, at ${usd(cost)} for 1,000 calls.${others}</p>`
}

export const candidates = ({ candidates, cheapest_alternative: cheapest, dry_run }: ShownReport): Html => {
  if (candidates.length === 0) return html``
  const rows = candidates.map((candidate) => [
    html`<bdi>${candidate.source}/${candidate.model}</bdi>`,
    share(candidate.agreement?.value ?? null),
    candidate.agreement === null ? none : html`${share(candidate.agreement.low)} to ${share(candidate.agreement.high)}`,
    usd(candidate.cost_per_1000_calls_usd),
    millis(candidate.latency_ms?.p50 ?? null),
    millis(candidate.latency_ms?.p95 ?? null),
    count(candidate.answered),
    count(candidate.failed)
  ])
  const unknown = dry_run
    ? "Costs are estimates: a rehearsal asks nobody."
    : "None that has a known price is good enough by these rows."
  return section(
    "Candidates",
    cheapest === null ? html`<p class="soft">${unknown}</p>` : sentence(cheapest),
    table(
      "Hosted models on the holdout rows; agreement with the rows' completions, US dollars per 1,000 calls, milliseconds",
      ["Model", "Agreement", "Interval", "Cost", "p50", "p95", "Answered", "Failed"],
      rows
    )
  )
}
