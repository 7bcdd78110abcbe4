/** Why a student pays: what a threshold does, and label by label where the student errs. */

import { type Html, html, type Part } from "./Html.ts"
import {
  count,
  folded,
  intervalText,
  longTable,
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
        ...(twice === null ? [] : [[html`${count(twice.rows)}, expected`, share(twice.agreement), none]])
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
    plotFigure(Plots.thresholds(cascade), "What the student answers, and how often the whole agrees, by threshold."),
    folded(
      recommendationTable(report),
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
  return section(
    "Label by label",
    matrix(advice),
    folded(byLabel("By label", labels), takenFor("Taken", advice.confusions))
  )
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
    fields.some(({ confusions, labels }) => confusions.length + labels.length > 0)
      ? folded(
          fields.map(({ confusions, field, labels }) => [
            labels.length === 0 ? null : byLabel(`By value of ${field}`, labels),
            takenFor(`Values of ${field} taken`, confusions)
          ])
        )
      : null
  )
}
