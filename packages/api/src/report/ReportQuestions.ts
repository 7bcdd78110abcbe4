/** The part of a report on a student of decisions: figures by question, and the responders of whole requests. */
import { html, type Part } from "./Html.ts"
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

type Question = ShownReport["questions"][number]

/** Questions with a drawn curve; the JSON report has every curve. */
const curvesMax = 12

const nameOf = ({ kind, name, question }: Question): Part =>
  html`<bdi>${name ?? "unnamed"}</bdi> <span class="soft">${kind}, <code>${question}</code></span>`

const estimates = (estimated: number | null): Part => {
  if (estimated === null) return null
  return estimated === 0
    ? "The upstream has counted all of it."
    : html`The saving of ${share(estimated)} of the requests is an estimate by the length of their texts.`
}

const requestsOf = ({ requests }: ShownReport): Part =>
  requests === null
    ? null
    : [
        table(
          "Requests of the holdout, by who would have answered them",
          ["Who", "Share"],
          [
            ["The student alone", share(requests.answered_here)],
            ["Student and upstream", share(requests.mixed)],
            ["The upstream alone", share(requests.upstream)]
          ]
        ),
        requests.saved_usd_per_1000 === null
          ? missing("The cost of the teacher's calls is unknown, and so is the saving.")
          : html`<p>Saved per 1,000 requests: ${usd(requests.saved_usd_per_1000)}. A request that both answer saves the tokens of the student's questions alone. ${estimates(requests.saved_estimated_share)}</p>`
      ]

const agreements = (questions: ReadonlyArray<Question>): Part =>
  longTable(
    "Agreement with the teacher, over all rows that ask the question",
    ["Question", "Rows", "Refusals", "Agreement", "Interval", "Threshold", "Answered alone", "Right by reviewers"],
    questions.map((one) => [
      nameOf(one),
      count(one.rows),
      count(one.refusals),
      share(one.agreement?.value ?? null),
      intervalText(one.agreement, share),
      one.threshold === null ? html`<span class="soft">none: the upstream answers</span>` : score(one.threshold),
      share(one.coverage),
      one.truth === null ? none : html`${share(one.truth.accuracy)} of ${count(one.truth.rows)}`
    ])
  )

const errors = (questions: ReadonlyArray<Question>): Part =>
  longTable(
    "Distance of the student's distribution from the teacher's: the lower the better, but for AUC",
    ["Question", "Brier", "Log loss", "Calibration error", "AUC", "Mean error, in levels", "Ranked probability score"],
    questions.map((one) => [
      nameOf(one),
      score(one.brier),
      score(one.log_loss),
      score(one.calibration_error),
      score(one.auc),
      score(one.mean_absolute_error),
      score(one.ranked_probability_score)
    ])
  )

/** The ceiling of each question: how far the teacher agrees with itself. */
const repeats = (questions: ReadonlyArray<Question>): Part => {
  const repeated = questions.flatMap((one) => (one.teacher_itself === null ? [] : [{ one, ...one.teacher_itself }]))
  return repeated.length === 0
    ? null
    : longTable(
        "The teacher's agreement with itself, asked again: no student can agree with it more often",
        ["Question", "Rows", "Agreement with itself", "Interval"],
        repeated.map(({ method, one, rows, ...interval }) => [
          nameOf(one),
          html`${count(rows)} (${method})`,
          share(interval.value),
          intervalText(interval, share)
        ])
      )
}

const recommendations = (questions: ReadonlyArray<Question>): Part => {
  const recommended = questions.flatMap((one) => (one.recommendation === null ? [] : [{ one, ...one.recommendation }]))
  return recommended.length === 0
    ? null
    : longTable(
        "Thresholds by the teacher's second answers, of student and teacher together",
        ["Question", "Threshold", "Answered alone", "Interval", "Agreement", "Interval", "Target", "Test"],
        recommended.map(({ agreement, error, method, one, share: alone, target, threshold }) => [
          nameOf(one),
          score(threshold),
          share(alone.value),
          intervalText(alone, share),
          share(agreement.value),
          intervalText(agreement, share),
          share(target),
          html`${method}, error ${share(error)}`
        ])
      )
}

/** Confusions that are listed; the report as JSON has up to 10 for each question. */
const confusionsMax = 60

const confusions = (questions: ReadonlyArray<Question>): Part => {
  const differing = questions
    .flatMap((one) => one.confusions.map((confusion) => ({ one, ...confusion })))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, confusionsMax)
  return differing.length === 0
    ? null
    : longTable(
        "Where student and teacher differ most often",
        ["Question", "Teacher", "Student", "Rows"],
        differing.map(({ count: rows, one, student, teacher }) => [
          nameOf(one),
          html`<bdi>${teacher}</bdi>`,
          html`<bdi>${student}</bdi>`,
          count(rows)
        ])
      )
}

const curveOf = (one: Question, index: number): Part =>
  plotFigure(
    Plots.curve(one, index),
    `${one.name ?? one.question}: the share that the student answers, and its agreement, by threshold.`
  )

export const questions = (report: ShownReport): Part => {
  const { questions } = report
  if (questions.length === 0) return null
  const drawn = questions.filter(({ curve }) => curve.length > 1).slice(0, curvesMax)
  return section(
    "Question by question",
    requestsOf(report),
    agreements(questions),
    repeats(questions),
    recommendations(questions),
    folded(errors(questions), confusions(questions)),
    drawn.map(curveOf)
  )
}
