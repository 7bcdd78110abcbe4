/** The head of a report: the decision first, then the figures that it rests on, each row of them at one operating point. */
import { type Html, html, type Part } from "./Html.ts"
import { count, effectiveRows, intervalText, millis, missing, none, score, section, share, usd } from "./ReportParts.ts"
import type { ShownReport } from "./ShownReport.ts"

type Advice = NonNullable<ShownReport["advice"]>
type Recommendation = NonNullable<ShownReport["recommendation"]>

/** An important number, large, with its name and its reference. */
const figure = (name: string, value: Html, note: Part): Html =>
  html`<div><dt>${name}</dt><dd class="value">${value}</dd><dd class="soft">${note}</dd></div>`

/** Rows of unequal weights tell less than their number. */
const effective = ({ effective_rows: rows, evaluated_rows }: ShownReport): Part =>
  rows === evaluated_rows ? null : html` (as many as ${effectiveRows(rows)} of equal weight)`

/** A student of decisions agrees question by question. */
const agreement = (report: ShownReport): Part => {
  const { accuracy, evaluated_rows, questions } = report
  if (questions.length > 0) return null
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

const constant = (advice: ShownReport["advice"]): Part => {
  const frequent = advice?.most_frequent ?? null
  return frequent === null
    ? null
    : figure("Always the most frequent answer", share(frequent.share), html`<bdi>${frequent.answer}</bdi>`)
}

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

const teacherCostOf = ({ cost_per_1000_calls_usd: cost }: ShownReport): number | null => cost?.teacher ?? null

/** US dollars per 1,000 calls at the recommended threshold; null if a cost is unknown. */
const savedOf = ({ advice, recommendation }: ShownReport): number | null =>
  advice?.saving?.per_1000_calls_usd ?? recommendation?.saving_usd_per_1000?.value ?? null

const costAtThreshold = (report: ShownReport): Part => {
  const [saved, teacher] = [savedOf(report), teacherCostOf(report)]
  return saved === null || teacher === null
    ? null
    : figure("Cost per 1,000 calls", usd(teacher - saved), html`the teacher alone: ${usd(teacher)}`)
}

/** The saving as a share of the teacher's cost; null if unknown. */
const savedShareOf = (report: ShownReport): number | null => {
  const teacher = teacherCostOf(report)
  const saved = savedOf(report)
  return teacher === null || saved === null || teacher === 0 ? null : saved / teacher
}

const saving = (report: ShownReport): Html => {
  const saved = savedOf(report)
  if (saved === null) return figure("Saved per 1,000 calls", none, "a cost is unknown")
  const runCalls = report.advice?.saving?.break_even_calls ?? null
  return figure(
    "Saved per 1,000 calls",
    usd(saved),
    html`${share(savedShareOf(report))} of the teacher's cost; calls until the run is paid for: ${count(runCalls)}`
  )
}

const monthly = ({ saving_usd_per_month: month }: Recommendation): Part =>
  month === null
    ? null
    : figure(
        "Saved per month",
        usd(month.value),
        html`${intervalText(month, usd)} at 95 %, at the calls of the last 30 days`
      )

interface Group {
  readonly title: Part
  readonly figures: ReadonlyArray<Part>
}

/** Figures of one operating point, under its name; nothing without figures. */
const group = ({ figures, title }: Group): Part =>
  figures.every((one) => one === null) ? null : html`<h3>${title}</h3><dl class="figures">${figures}</dl>`

/** Student and teacher at the recommended threshold. */
const together = (report: ShownReport): Part => {
  const { recommendation } = report
  if (recommendation === null) return null
  return group({
    title: html`Student and teacher, at a threshold of ${score(recommendation.threshold)}`,
    figures: [
      figure(
        "Calls that the student answers",
        share(recommendation.share.value),
        html`${intervalText(recommendation.share, share)} at 95 %`
      ),
      figure(
        "Agreement of both together",
        share(recommendation.agreement.value),
        html`${intervalText(recommendation.agreement, share)} at 95 %, target ${share(recommendation.target)}`
      ),
      costAtThreshold(report),
      saving(report),
      monthly(recommendation)
    ]
  })
}

const alone = (report: ShownReport): Part => {
  const { cost_per_1000_calls_usd: cost, latency_ms: latency } = report
  const [student, teacher] = [latency?.student?.p50 ?? null, latency?.teacher?.p50 ?? null]
  return group({
    title: "The student alone, on every call",
    figures: [
      agreement(report),
      byReviewers(report),
      figure("Cost per 1,000 calls", usd(cost?.student ?? null), html`the teacher: ${usd(cost?.teacher ?? null)}`),
      figure("Latency, median, in milliseconds", millis(student), html`the teacher: ${millis(teacher)}`)
    ]
  })
}

const references = (report: ShownReport): Part =>
  group({
    title: "To compare with",
    figures: [constant(report.advice), itself(report), repeatedPrompts(report.advice)]
  })

const saved = (report: ShownReport): Part => {
  const dollars = savedOf(report)
  if (dollars === null) return " What it saves is unknown, because a cost is."
  return dollars > 0
    ? html` It saves ${share(savedShareOf(report))} of the cost.`
    : html` It saves nothing: 1,000 calls cost ${usd(-dollars)} more.`
}

/** What to do, in one or two sentences. */
const decision = (report: ShownReport): Part => {
  const { dry_run, questions, recommendation } = report
  if (dry_run || questions.length > 0 || report.accuracy === null) return null
  if (recommendation === null)
    return html`<p class="decision">Not yet: leave the calls to the teacher, and the student in shadow.</p>`
  const { agreement, share: answered, threshold } = recommendation
  return html`<p class="decision">Deploy at ${score(threshold)}: the student answers ${share(answered.value)} of the calls, and both together agree in ${share(agreement.value)}.${saved(report)}</p>`
}

const notesOf = ({ advice, summary }: ShownReport): ReadonlyArray<Advice["notes"][number]> =>
  (advice?.notes ?? []).filter((note) => !summary.includes(note))

export const headline = (report: ShownReport): Html =>
  section(
    "Does it pay?",
    decision(report),
    html`<p class="summary">${report.summary}</p>`,
    notesOf(report).map((note) => html`<p>${note}</p>`),
    report.accuracy === null && report.questions.length === 0
      ? missing("Nothing was evaluated, so nothing can be said of that.")
      : null,
    together(report),
    alone(report),
    references(report)
  )
