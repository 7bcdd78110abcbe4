/** The head of a report: does the student pay? What a threshold does, and label by label where the student errs. */

import { type Html, html, type Part } from "./Html.ts"
import {
  count,
  effectiveRows,
  intervalText,
  longTable,
  millis,
  missing,
  none,
  plotFigure,
  score,
  section,
  share,
  table,
  usd
} from "./ReportParts.ts"
import * as Plots from "./ReportPlots.ts"
import type { ShownReport } from "./ShownReport.ts"

type Advice = NonNullable<ShownReport["advice"]>

/** An important number, large, with its name and its reference. */
const figure = (name: string, value: Html, note: Part): Html =>
  html`<div><dt>${name}</dt><dd class="value">${value}</dd><dd class="soft">${note}</dd></div>`

/** Rows of unequal weights tell less than their number. */
const effective = ({ effective_rows: rows, evaluated_rows }: ShownReport): Part =>
  rows === evaluated_rows ? null : html` (as many as ${effectiveRows(rows)} of equal weight)`

const agreement = (report: ShownReport): Html => {
  const { accuracy, evaluated_rows } = report
  if (accuracy === null) return figure("Agreement with the teacher", none, "nothing was evaluated")
  const { correct, interval, value } = accuracy
  const range = interval === null ? "" : html`, ${intervalText(interval, share)} at 95 % (${interval.method})`
  return figure(
    "Agreement with the teacher",
    share(value),
    html`${count(correct)} of ${count(evaluated_rows)} rows${effective(report)}${range}`
  )
}

const byReviewers = ({ reviewed }: ShownReport): Part =>
  reviewed === null
    ? null
    : figure(
        "Right by reviewers",
        share(reviewed.student.value),
        html`the teacher: ${share(reviewed.teacher.value)}, ${count(reviewed.rows)} rows`
      )

const constant = (frequent: Advice["most_frequent"]): Html =>
  figure(
    "Always the most frequent answer",
    share(frequent?.share ?? null),
    frequent === null ? "there is none" : frequent.answer
  )

const itself = ({ teacher_itself: itself }: ShownReport): Part =>
  itself === null
    ? null
    : figure(
        "The teacher against itself",
        share(itself.value),
        html`${count(itself.rows)} rows (${itself.method}), ${intervalText(itself, share)} at 95 %`
      )

/** Of repeated prompts in the version. */
const repeatedPrompts = (advice: ShownReport["advice"]): Part => {
  const itself = advice?.teacher_itself ?? null
  return itself === null
    ? null
    : figure("The teacher's first two answers agree", share(itself.agreement), html`${count(itself.prompts)} prompts`)
}

const saving = ({ saving }: Advice): Html =>
  figure(
    "Saved per 1,000 calls",
    usd(saving?.per_1000_calls_usd ?? null),
    html`calls until the run is paid for: ${count(saving?.break_even_calls ?? null)}`
  )

const monthly = ({ recommendation }: ShownReport): Part => {
  const month = recommendation?.saving_usd_per_month ?? null
  return month === null
    ? null
    : figure(
        "Saved per month",
        usd(month.value),
        html`${intervalText(month, usd)} at 95 %, at the calls of the last 30 days`
      )
}

export const headline = (report: ShownReport): Html => {
  const { advice, cost_per_1000_calls_usd: cost, latency_ms: latency, summary } = report
  const [student, teacher] = [latency?.student?.p50 ?? null, latency?.teacher?.p50 ?? null]
  return section(
    "Does it pay?",
    html`<p class="summary">${summary}</p>`,
    (advice?.notes ?? []).filter((note) => !summary.includes(note)).map((note) => html`<p>${note}</p>`),
    report.accuracy === null && report.questions.length === 0
      ? missing("Nothing was evaluated, so nothing can be said of that.")
      : null,
    html`<dl class="figures">${[
      agreement(report),
      byReviewers(report),
      constant(advice?.most_frequent ?? null),
      itself(report),
      repeatedPrompts(advice),
      figure("Cost per 1,000 calls", usd(cost?.student ?? null), html`the teacher: ${usd(cost?.teacher ?? null)}`),
      figure("Latency, median, in milliseconds", millis(student), html`the teacher: ${millis(teacher)}`),
      advice === null ? null : saving(advice),
      monthly(report)
    ]}</dl>`
  )
}

/** How the agreement grows with the rows. */
export const learning = ({ learning_curve: curve, twice_as_many: twice }: ShownReport): Part => {
  if (curve.length === 0) return null
  return section(
    "More rows",
    table(
      "Agreement on rows held back from the training, by the rows learnt from",
      ["Rows", "Agreement", "95 % interval"],
      [
        ...curve.map(({ agreement, rows }) => [count(rows), share(agreement.value), intervalText(agreement, share)]),
        ...(twice === null ? [] : [[`${count(twice.rows)}, expected`, share(twice.agreement), none]])
      ]
    )
  )
}

const recommendationTable = ({ recommendation }: ShownReport): Part => {
  if (recommendation === null) return null
  const { agreement, error, method, saving_usd_per_1000: saving, saving_usd_per_month: month, ...rest } = recommendation
  return table(
    "What is recommended, and what it brings",
    ["Figure", "Value", "95 % interval"],
    [
      ["below_confidence", score(rest.threshold), none],
      ["Calls that the student answers", share(rest.share.value), intervalText(rest.share, share)],
      ["Agreement of student and fallback", share(agreement.value), intervalText(agreement, share)],
      [`Target (${rest.target_is}, less 2 points)`, share(rest.target), none],
      [`Error of the test (${method})`, share(error), none],
      ["Saved per 1,000 calls", usd(saving?.value ?? null), intervalText(saving, usd)],
      ["Saved per month", usd(month?.value ?? null), intervalText(month, usd)]
    ]
  )
}

export const thresholds = (report: ShownReport): Part => {
  const { advice, recommendation_reason } = report
  if (advice === null) return null
  const { cascade } = advice
  const title = "With the teacher as fallback"
  if (cascade === null)
    return section(title, missing("The student tells no confidence, so nothing can be left to the teacher by it."))
  const { recommended_threshold: recommended, steps, target_agreement: target } = cascade
  return section(
    title,
    html`<p>${recommendation_reason}</p>`,
    target === null ? null : html`<p>Both together are held against ${share(target)}.</p>`,
    recommendationTable(report),
    plotFigure(Plots.thresholds(cascade), "What the student answers, and how often the whole agrees, by threshold."),
    table(
      "What a threshold would do (below_confidence)",
      ["Threshold", "Student answers", "Its agreement", "Interval", "Of the whole", "Per 1,000 calls"],
      steps.map((step) => [
        html`${score(step.threshold)}${step.threshold === recommended ? " (recommended)" : ""}`,
        share(step.share),
        share(step.agreement),
        intervalText(step.interval, share),
        share(step.cascade_agreement),
        usd(step.cost_per_1000_calls_usd)
      ])
    )
  )
}

const matrixMax = 12

/** Rows answered so by the teacher and so by the student, of the labels with the most rows. */
const matrix = ({ confusions, labels }: Advice): Html => {
  const most = labels.toSorted((one, other) => other.support - one.support).slice(0, matrixMax)
  const times = (own: Advice["labels"][number], student: string): number =>
    own.label === student
      ? Math.round((own.recall ?? 0) * own.support)
      : (confusions.find((one) => one.teacher === own.label && one.student === student)?.count ?? 0)
  const cell = (own: Advice["labels"][number], student: string): Part => {
    const rows = times(own, student)
    if (rows === 0) return ""
    return html`<span class="${own.label === student ? "right" : "wrong"}">${count(rows)}</span>`
  }
  return table(
    "Rows: what the teacher says. Columns: what the student says. The most frequent labels and confusions.",
    ["Teacher", ...most.map(({ label }) => label)],
    most.map((own) => [own.label, ...most.map(({ label }) => cell(own, label))])
  )
}

const byLabel = (title: string, labels: Advice["labels"]): Part =>
  longTable(
    `${title}. Precision: of what the student calls so, how much is. Recall: of what is so, how much it finds.`,
    ["Label", "Rows", "Precision", "Recall"],
    labels.map((one) => [one.label, count(one.support), share(one.precision), share(one.recall)])
  )

const takenFor = (title: string, confusions: Advice["confusions"]): Part =>
  confusions.length === 0
    ? null
    : longTable(
        `${title} for another, most often first`,
        ["Teacher", "Student", "Rows"],
        confusions.map((one) => [one.teacher, one.student, count(one.count)])
      )

export const labels = ({ advice }: ShownReport): Part => {
  if (advice === null || advice.labels.length === 0) return null
  const { labels } = advice
  return section("Label by label", matrix(advice), byLabel("By label", labels), takenFor("Taken", advice.confusions))
}

/** Student and teacher against what reviewers said. */
export const reviewerVerdicts = ({ reviewed }: ShownReport): Part => {
  if (reviewed === null) return null
  const { losses, rows, student, teacher, wins } = reviewed
  return section(
    "By reviewers",
    html`<p>Of ${count(rows)} rows that reviewers judged, the student alone is right in ${count(wins)}, the teacher alone in ${count(losses)}.</p>`,
    student.undecided === 0
      ? null
      : html`<p>In ${count(student.undecided)} rows it is not known whether the student is right: they count as wrong.</p>`,
    table(
      "Right by what reviewers said",
      ["Who", "Right", "Rows", "Interval"],
      [
        ["Student", share(student.value), count(student.correct), intervalText(student.interval, share)],
        ["Teacher", share(teacher.value), count(teacher.correct), intervalText(teacher.interval, share)]
      ]
    )
  )
}

/** Of JSON, each field by itself. */
export const fields = ({ advice }: ShownReport): Part => {
  const fields = advice?.fields ?? []
  if (fields.length === 0) return null
  return section(
    "Field by field",
    table(
      "How often student and teacher give a field the same value, and what always its most frequent value would do.",
      ["Field", "Agreement", "Interval", "Most frequent value", "Its share"],
      fields.map((one) => [
        one.field,
        share(one.agreement),
        intervalText(one.interval, share),
        one.most_frequent.answer,
        share(one.most_frequent.share)
      ])
    ),
    fields.map(({ confusions, field, labels }) => [
      labels.length === 0 ? null : byLabel(`By value of ${field}`, labels),
      takenFor(`Values of ${field} taken`, confusions)
    ])
  )
}
