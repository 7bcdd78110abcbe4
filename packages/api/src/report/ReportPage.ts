/**
 * What a report shows, as markup: for a page that stands by itself, with its style and plots inside, no script, and nothing fetched
 * from anywhere; and for the dashboard. Made of the JSON alone. Whatever rows hold is shown as text.
 */

import { Html, html } from "./Html.ts"
import { candidates } from "./ReportCandidates.ts"
import { headline } from "./ReportHeadline.ts"
import {
  count,
  folded,
  intervalText,
  list,
  millis,
  missing,
  none,
  opening,
  plotFigure,
  score,
  seconds,
  section,
  table,
  usd
} from "./ReportParts.ts"
import * as Pays from "./ReportPays.ts"
import * as Plots from "./ReportPlots.ts"
import * as Questions from "./ReportQuestions.ts"
import { pageStyle } from "./ReportStyle.ts"
import { type ReportNames, titleOf } from "./ReportTitle.ts"
import type { ShownReport } from "./ShownReport.ts"

type Reward = ShownReport["rewards"][number]
type Latency = NonNullable<ShownReport["latency_ms"]>["student"]

const methodsOf = (rewards: ReadonlyArray<Reward>): string => {
  const intervals = rewards.flatMap((reward) => [reward.interval, reward.teacher_interval, reward.difference_interval])
  const methods = new Set(intervals.flatMap((interval) => (interval === null ? [] : [interval.method])))
  return methods.size === 0 ? "" : ` Intervals are at 95 %: ${[...methods].join(", ")}.`
}

const qualityOf = ({ rewards }: ShownReport): Html => {
  if (rewards.length === 0) return section("Quality", missing("No reward was scored."))
  const scores = rewards.map((reward) => [
    html`<bdi>${reward.name}</bdi> <span class="soft">${reward.kind}, <code>${reward.id}</code></span>`,
    score(reward.student),
    intervalText(reward.interval, score),
    score(reward.teacher),
    intervalText(reward.teacher_interval, score),
    score(reward.difference),
    intervalText(reward.difference_interval, score)
  ])
  const outcomes = rewards.map((reward) => [
    reward.name,
    ...[reward.wins, reward.ties, reward.losses, reward.unscored].map(count)
  ])
  return section(
    "Quality",
    plotFigure(Plots.quality(rewards), `Mean score by reward, 0 to 1.${methodsOf(rewards)}`),
    plotFigure(Plots.outcomes(rewards), "The student against the teacher, row by row."),
    folded(
      table(
        "Mean scores on the holdout rows",
        ["Reward", "Student", "Interval", "Teacher", "Interval", "Difference", "Interval"],
        scores
      ),
      table("Wins, ties and losses of the student", ["Reward", "Wins", "Ties", "Losses", "Unscored"], outcomes)
    )
  )
}

const calibrationOf = ({ calibration }: ShownReport): Html => {
  if (calibration === null) return section("Calibration", missing("The student told no confidence."))
  const rows = calibration.bins.map((bin) => [
    html`${score(bin.from)} to ${score(bin.to)}`,
    count(bin.count),
    score(bin.confidence),
    score(bin.accuracy)
  ])
  return section(
    "Calibration",
    html`<p>Expected calibration error: ${score(calibration.expected_error)}. At 0 the student is right as often as it says.</p>`,
    plotFigure(Plots.reliability(calibration), "Accuracy of answers by the confidence they were given with."),
    folded(table("Confidence and accuracy", ["Confidence range", "Answers", "Mean confidence", "Accuracy"], rows))
  )
}

const latencyOf = ({ latency_ms }: ShownReport): Html => {
  if (latency_ms === null) return section("Latency", missing("No call was timed."))
  const row = (who: string, latency: Latency) =>
    latency === null
      ? [who, none, none, none, none, none, none, none]
      : [
          who,
          count(latency.count),
          ...[latency.mean, latency.p50, latency.p90, latency.p95, latency.p99, latency.max].map(millis)
        ]
  return section(
    "Latency",
    table(
      "Milliseconds a call. The teacher's are what rows say of themselves.",
      ["Who", "Calls", "Mean", "p50", "p90", "p95", "p99", "Max"],
      [row("Student", latency_ms.student), row("Teacher", latency_ms.teacher)]
    )
  )
}

const costOf = ({ cost_per_1000_calls_usd: cost, estimate, totals }: ShownReport): Html =>
  section(
    "Cost",
    cost === null
      ? missing("There are no calls whose cost could be told.")
      : table(
          "US dollars per 1,000 calls",
          ["Who", "Cost"],
          [
            ["Student", usd(cost.student)],
            ["Teacher", usd(cost.teacher)]
          ]
        ),
    table(
      "What the run took",
      ["What", "Seconds", "Judge tokens", "Cost"],
      [
        ["The run", seconds(totals.gpu_seconds), count(totals.judge_tokens), usd(totals.cost_usd)],
        ...(estimate === null
          ? []
          : [
              ["Estimated", seconds(estimate.gpu_seconds), none, usd(estimate.cost_usd)],
              [
                "Counted against the estimate",
                seconds(estimate.actual_gpu_seconds),
                none,
                usd(estimate.actual_cost_usd)
              ]
            ])
      ]
    ),
    estimate === null
      ? missing("There is no estimate to compare with.")
      : html`<p>Taken for each second that was estimated: ${score(estimate.ratio)}.</p>`
  )

const examplesOf = ({ rewards, worst_examples }: ShownReport): Html => {
  if (worst_examples.length === 0) return section("Where it is most wrong", missing("There are none."))
  const names = new Map(rewards.map(({ id, name }) => [id, name]))
  return section(
    "Where it is most wrong",
    html`<p class="soft">The rows on which the student scored lowest; of equals, those it was surest of.</p>`,
    worst_examples.map(
      ({ confidence, prompt, row, scores, student, teacher }, index) => html`
<article>
<h3>Example ${index + 1}</h3>
${list([
  ["Row", html`<code>${row}</code>`],
  ["Prompt", html`<pre>${prompt}</pre>`],
  ["Student", html`<pre>${student}</pre>`],
  ["Teacher", html`<pre>${teacher}</pre>`],
  ["Confidence", score(confidence)],
  ...Object.entries(scores).map(([id, value]) => [names.get(id) ?? id, score(value)] as const)
])}
</article>`
    )
  )
}

const provenanceOf = (report: ShownReport): Html => {
  const { artifact_sha256, content_sha256, dataset_version, executor, plan_hash, recipe } = report.provenance
  const code = (value: string | null) => (value === null ? none : html`<code>${value}</code>`)
  return section(
    "Provenance",
    list([
      ["Report", code(report.id)],
      ["Run", code(report.run)],
      ["Student model", code(report.student_model)],
      ["Dataset version", code(dataset_version)],
      ["Content SHA-256", code(content_sha256)],
      ["Plan hash", code(plan_hash)],
      ["Executor", code(executor)],
      ["Artifact SHA-256", code(artifact_sha256)],
      ["Mode", report.livemode ? "live" : "test"],
      ["Made at", html`<time datetime="${report.created_at}">${report.created_at}</time>`],
      ["Recipe", html`<pre>${opening(JSON.stringify(recipe, null, 2))}</pre>`]
    ])
  )
}

const rehearsal = html`<p class="notice">This was a rehearsal: stubs stood in for training, and nothing was measured.</p>`

/** The reasons, then the provenance. */
const reasons = [
  Pays.reviewerVerdicts,
  Questions.questions,
  Pays.thresholds,
  Pays.learning,
  candidates,
  qualityOf,
  Pays.labels,
  Pays.fields,
  calibrationOf,
  examplesOf,
  latencyOf,
  costOf,
  provenanceOf
]

/** The decision, in an element styled by `partsStyle`. */
export const renderDecision = (report: ShownReport): Html =>
  html`<div class="report">${report.dry_run ? rehearsal : null}${headline(report)}</div>`

/** What the decision rests on, in another one. */
export const renderReasons = (report: ShownReport): Html =>
  html`<div class="report">${reasons.map((part) => part(report))}</div>`

/** The whole page. */
export const render = (report: ShownReport, names: ReportNames): string => {
  const title = titleOf(report.dry_run, names)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${title}</title>
<style>${new Html(pageStyle)}</style>
</head>
<body>
<main>
<header>
<h1>${title}</h1>
</header>
${renderDecision(report)}
${renderReasons(report)}
</main>
</body>
</html>
`.markup
}
