/** The plots of a report as SVG: no script, no style of their own, and a title and a description for those who cannot see. */

import { type Html, html } from "./Html.ts"
import type { ShownReport } from "./ShownReport.ts"

type Reward = ShownReport["rewards"][number]
type Calibration = NonNullable<ShownReport["calibration"]>

const round = (value: number): number => Math.round(value * 100) / 100

const shorten = (text: string, max: number): string => {
  const characters = [...text]
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : text
}

const plot = (options: {
  readonly id: string
  readonly width: number
  readonly height: number
  readonly title: string
  readonly description: string
  readonly marks: ReadonlyArray<Html>
}): Html => {
  const { description, height, id, marks, title, width } = options
  return html`<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="${id}-title ${id}-desc">
<title id="${id}-title">${title}</title>
<desc id="${id}-desc">${description}</desc>
${marks}
</svg>`
}

const line = (kind: string, x1: number, y1: number, x2: number, y2: number): Html =>
  html`<line class="${kind}" x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}"/>`

const rect = (kind: string, x: number, y: number, width: number, height: number, title: string): Html =>
  html`<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"><title>${title}</title></rect>`

const text = (
  content: string,
  x: number,
  y: number,
  options: { readonly kind?: string; readonly anchor?: string } = {}
) =>
  html`<text class="${options.kind ?? "label"}" x="${round(x)}" y="${round(y)}" text-anchor="${options.anchor ?? "start"}">${content}</text>`

const chart = { width: 640, left: 200, right: 620 }
const across = (share: number): number => chart.left + Math.min(1, Math.max(0, share)) * (chart.right - chart.left)

const ticks = [0, 0.25, 0.5, 0.75, 1]

/** Of an axis of shares. */
const percentOf = (tick: number): string => `${100 * tick} %`

const scale = (bottom: number): ReadonlyArray<Html> =>
  ticks.flatMap((tick) => [
    line("axis", across(tick), 24, across(tick), bottom),
    text(String(tick), across(tick), bottom + 16, { kind: "soft", anchor: "middle" })
  ])

const legend = (entries: ReadonlyArray<readonly [kind: string, name: string]>): ReadonlyArray<Html> =>
  entries.flatMap(([kind, name], index) => {
    const x = chart.left + index * 110
    return [rect(kind, x, 4, 10, 10, name), text(name, x + 16, 13)]
  })

/** A mean as a dot, with its interval as a line. */
const mean = (kind: "student" | "teacher", value: number | null, interval: Reward["interval"], y: number) => {
  if (value === null) return []
  const dot = html`<circle class="${kind}" cx="${round(across(value))}" cy="${y}" r="4"><title>${kind} ${value}</title></circle>`
  if (interval === null) return [dot]
  const [low, high] = [across(interval.low), across(interval.high)]
  const whisker = `${kind} whisker`
  return [
    line(whisker, low, y, high, y),
    line(whisker, low, y - 4, low, y + 4),
    line(whisker, high, y - 4, high, y + 4),
    dot
  ]
}

/** Mean scores of student and teacher by reward, with their intervals. */
export const quality = (rewards: ReadonlyArray<Reward>): Html => {
  const row = 44
  const bottom = 28 + rewards.length * row
  const marks = rewards.flatMap((reward, index) => {
    const y = 28 + index * row + row / 2
    return [
      text(shorten(reward.name, 28), chart.left - 12, y + 4, { anchor: "end" }),
      ...mean("student", reward.student, reward.interval, y - 8),
      ...mean("teacher", reward.teacher, reward.teacher_interval, y + 8)
    ]
  })
  return plot({
    id: "quality",
    width: chart.width,
    height: bottom + 24,
    title: "Mean score by reward, from 0 to 1",
    description:
      "A dot for the student's and one for the teacher's mean, each on its interval. The table has the figures.",
    marks: [
      ...scale(bottom),
      ...legend([
        ["student", "Student"],
        ["teacher", "Teacher"]
      ]),
      ...marks
    ]
  })
}

/** How often the student scored above, as high as, and below the teacher. */
export const outcomes = (rewards: ReadonlyArray<Reward>): Html => {
  const row = 30
  const marks = rewards.flatMap((reward, index) => {
    const y = 26 + index * row
    const all = Math.max(1, reward.wins + reward.ties + reward.losses)
    let from = 0
    const bars = (["wins", "ties", "losses"] as const).map((kind) => {
      const share = reward[kind] / all
      const bar = rect(kind, across(from), y, across(from + share) - across(from), 18, `${reward[kind]} ${kind}`)
      from += share
      return bar
    })
    return [text(shorten(reward.name, 28), chart.left - 12, y + 14, { anchor: "end" }), ...bars]
  })
  return plot({
    id: "outcomes",
    width: chart.width,
    height: 30 + rewards.length * row,
    title: "Wins, ties and losses of the student against the teacher",
    description: "One bar per reward, divided by outcome. The table has the counts.",
    marks: [
      ...legend([
        ["wins", "Wins"],
        ["ties", "Ties"],
        ["losses", "Losses"]
      ]),
      ...marks
    ]
  })
}

type Cascade = NonNullable<NonNullable<ShownReport["advice"]>["cascade"]>

/** Two shares by threshold: what the student answers, and how often that agrees. */
interface CurveStep {
  readonly threshold: number
  readonly student: number
  /** Null where nothing is answered. */
  readonly agreement: number | null
}

const stepped = (options: {
  readonly id: string
  readonly title: string
  readonly agreement: string
  readonly marked: number | null
  /** Where the figures stand. */
  readonly figures: string
  readonly steps: ReadonlyArray<CurveStep>
}): Html => {
  const { agreement, figures, id, marked, steps, title } = options
  const [left, top, width, height] = [56, 28, 564, 200]
  const across = (threshold: number) => left + threshold * width
  const high = (share: number) => top + (1 - share) * height
  const grid = ticks.flatMap((tick) => [
    line("axis", left, high(tick), left + width, high(tick)),
    text(percentOf(tick), left - 8, high(tick) + 4, { kind: "soft", anchor: "end" }),
    text(String(tick), across(tick), top + height + 16, { kind: "soft", anchor: "middle" })
  ])
  const curve = (kind: string, of: (step: CurveStep) => number | null) =>
    steps.slice(1).flatMap((step, index) => {
      const before = steps[index] ?? step
      const [from, to] = [of(before), of(step)]
      return from === null || to === null
        ? []
        : [line(`${kind} whisker`, across(before.threshold), high(from), across(step.threshold), high(to))]
    })
  return plot({
    id,
    width: 640,
    height: top + height + 40,
    title,
    description: `A curve for the share that the student answers, one for the agreement. ${figures} has the figures.`,
    marks: [
      ...grid,
      rect("student", left, 4, 10, 10, "Student answers"),
      text("Student answers", left + 16, 13),
      rect("teacher", left + 150, 4, 10, 10, agreement),
      text(agreement, left + 166, 13),
      ...(marked === null ? [] : [line("ideal", across(marked), top, across(marked), top + height)]),
      ...curve("student", ({ student }) => student),
      ...curve("teacher", ({ agreement }) => agreement),
      text("Threshold", left + width / 2, top + height + 34, { anchor: "middle" })
    ]
  })
}

/** What the student answers and how often the whole agrees, by threshold; the recommended one is a dashed line. */
export const thresholds = ({ recommended_threshold: marked, steps }: Cascade): Html =>
  stepped({
    id: "thresholds",
    title: "What a threshold does",
    agreement: "The whole agrees",
    figures: "The table",
    marked,
    steps: steps.map(({ cascade_agreement: agreement, share: student, threshold }) => ({
      threshold,
      student,
      agreement
    }))
  })

/** What the student answers of one question and how often it agrees, by threshold; its own one is a dashed line. */
export const curve = ({ curve, name, question, threshold }: ShownReport["questions"][number], index: number): Html =>
  stepped({
    id: `question-${index}`,
    title: `What a threshold does: ${shorten(name ?? question, 60)}`,
    agreement: "It agrees",
    figures: "The report as JSON",
    marked: threshold,
    steps: curve.map(({ agreement, coverage: student, threshold }) => ({ threshold, student, agreement }))
  })

const square = { left: 56, top: 12, side: 300 }
const right = (share: number): number => square.left + share * square.side
const up = (share: number): number => square.top + (1 - share) * square.side

/** Accuracy by confidence; a calibrated student lies on the diagonal. */
export const reliability = ({ bins }: Calibration): Html => {
  const grid = ticks.flatMap((tick) => [
    line("axis", right(tick), up(0), right(tick), up(1)),
    line("axis", right(0), up(tick), right(1), up(tick)),
    text(percentOf(tick), right(tick), up(0) + 16, { kind: "soft", anchor: "middle" }),
    text(percentOf(tick), right(0) - 8, up(tick) + 4, { kind: "soft", anchor: "end" })
  ])
  const bars = bins.flatMap(({ accuracy, confidence, count, from, to }) => {
    if (accuracy === null || confidence === null) return []
    const width = right(to) - right(from)
    const said = `${count} answers at confidence ${confidence}: accuracy ${accuracy}`
    const bar = rect("student range", right(from) + 1, up(accuracy), width - 2, up(0) - up(accuracy), said)
    return [bar, html`<circle class="student" cx="${round(right(confidence))}" cy="${round(up(accuracy))}" r="3"/>`]
  })
  return plot({
    id: "reliability",
    width: 380,
    height: 360,
    title: "Reliability: accuracy by confidence",
    description: "A bar per range of confidence. The dashed diagonal is where confidence says what accuracy is.",
    marks: [
      ...grid,
      line("ideal", right(0), up(0), right(1), up(1)),
      ...bars,
      text("Confidence", right(0.5), up(0) + 34, { anchor: "middle" })
    ]
  })
}
