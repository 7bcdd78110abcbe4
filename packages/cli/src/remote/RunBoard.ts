/** Draws a run as a few lines and redraws them: stages, metrics, cost, and the last logs. */
import type { Run, ServerEvent } from "@limbeck/client"

/** Points per drawn series, one character each. */
const sparkWidth = 32
const barWidth = 20
const logLines = 3

const blocks = "▁▂▃▄▅▆▇█"
const marks: Record<Run["stages"][number]["status"], string> = {
  pending: "·",
  running: "▸",
  succeeded: "✓",
  failed: "✗",
  skipped: "–",
  canceled: "✗"
}

interface Series {
  readonly name: string
  readonly values: Array<number>
}

/** The last values between their least and their greatest, lowest to highest. */
export const sparklineOf = (values: ReadonlyArray<number>): string => {
  const shown = values.slice(-sparkWidth)
  const [least, greatest] = [Math.min(...shown), Math.max(...shown)]
  const scale = greatest === least ? 0 : (blocks.length - 1) / (greatest - least)
  return shown.map((value) => blocks[Math.round((value - least) * scale)]).join("")
}

export const barOf = (done: number, whole: number): string => {
  const filled = whole === 0 ? barWidth : Math.min(barWidth, Math.round((barWidth * done) / whole))
  return "█".repeat(filled) + "░".repeat(barWidth - filled)
}

const secondsOf = (from: string | null, to: string | null, now: number): string =>
  from === null ? "" : `${(((to === null ? now : Date.parse(to)) - Date.parse(from)) / 1_000).toFixed(1)} s`

const linesOf = (run: Run, now: number): ReadonlyArray<string> => [
  `${run.id}  ${run.dry_run ? "rehearsal" : "live"}  ${run.status}  ${secondsOf(run.started_at, run.finished_at, now)}`.trimEnd(),
  ...run.stages.map(({ attempt, finished_at: to, kind, started_at: from, status }) => {
    const again = attempt > 1 ? `  attempt ${attempt}` : ""
    const lasted = status === "skipped" ? "" : secondsOf(from, to, now)
    return `  ${marks[status]} ${kind.padEnd(11)} ${status.padEnd(9)} ${lasted}${again}`.trimEnd()
  }),
  `  ${barOf(run.totals.cost_usd, run.budget.max_cost_usd)} $${run.totals.cost_usd} of $${run.budget.max_cost_usd}`
]

export class RunBoard {
  #run: Run | undefined
  readonly #series = new Map<string, Series>()
  readonly #logs: Array<string> = []

  /** Takes an event of the run's stream (docs/api.md). */
  take({ data, event }: ServerEvent): void {
    // The document says what each event holds.
    if (event === "state") this.#run = data as Run
    else if (event === "metric") this.#measure(data as { readonly name: string; readonly value: number })
    else this.#log((data as { readonly message: string }).message)
  }

  #measure({ name, value }: { readonly name: string; readonly value: number }): void {
    const series = this.#series.get(name) ?? { name, values: [] }
    this.#series.set(name, series)
    series.values.push(value)
    if (series.values.length > sparkWidth) series.values.shift()
  }

  #log(message: string): void {
    this.#logs.push(message)
    if (this.#logs.length > logLines) this.#logs.shift()
  }

  /** What is shown now; `now` in milliseconds since 1970. */
  lines(now: number): ReadonlyArray<string> {
    if (this.#run === undefined) return []
    const width = Math.max(0, ...Array.from(this.#series.keys(), (name) => name.length))
    return [
      ...linesOf(this.#run, now),
      ...Array.from(
        this.#series.values(),
        ({ name, values }) => `  ${name.padEnd(width)} ${sparklineOf(values)} ${Number(values.at(-1)?.toPrecision(4))}`
      ),
      ...this.#logs.map((line) => `  ${line}`)
    ]
  }
}
