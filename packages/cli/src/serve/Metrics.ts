/** `GET /metrics`: the process and its requests as Prometheus text, on the server's own port. */
import { performance } from "node:perf_hooks"
import type { RecorderFigures } from "@limbeck/capture/journal/Recorder"
import type { App } from "@limbeck/server/App"
import { noStoreHeaders } from "@limbeck/server/http/AnswerHeaders"
import type { NodeHandler } from "@limbeck/server/Mounts"
import type { ProbedState } from "@limbeck/server/StorageProbe"
import type { ShadowFigures } from "@limbeck/serving/shadow/Shadows"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Limits } from "./Limits.ts"

const requests = Metric.counter("http_requests_total", { description: "Answered requests", incremental: true })
const durations = Metric.histogram("http_request_duration_seconds", {
  description: "From the request's head to the answer's last byte",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})
const residentBytes = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory" })
const cpuSeconds = Metric.counter("process_cpu_seconds_total", {
  description: "User and system CPU time",
  incremental: true
})

const callsWaiting = Metric.gauge("limbeck_capture_waiting", {
  description: "Captured calls that are not in storage yet"
})
const callsDropped = Metric.counter("limbeck_capture_dropped_total", {
  description: "Captured calls that were given up",
  incremental: true
})
const shadowsWaiting = Metric.gauge("limbeck_shadows_waiting", {
  description: "Copies of calls that wait for a student in shadow"
})
const shadowsDropped = Metric.counter("limbeck_shadows_dropped_total", {
  description: "Copies of calls that no student was asked",
  incremental: true
})

const storageWrites = Metric.gauge("limbeck_storage_writable", {
  description: "1 while storage answers and takes writes"
})

const oldestDueSeconds = Metric.gauge("limbeck_webhook_oldest_due_seconds", {
  description: "How long the oldest due delivery has waited for a worker, on the whole storage"
})

export interface Figures {
  readonly storage: ProbedState
  /** None while storage does not answer: the metric keeps its last value. */
  readonly oldestDueMillis: Option.Option<number>
  readonly capture: RecorderFigures
  readonly shadows: ShadowFigures
}

/** Metrics live in the process; they need no services. */
const context = Context.empty()

/** Brings a counter to a total that is counted elsewhere. */
const raise = (counter: typeof requests, total: number): void => {
  const { count } = counter.valueUnsafe(context)
  if (total > count) counter.updateUnsafe(total - count, context)
}

/** Updates the metrics that need a sample of current figures. */
const note = ({ capture, oldestDueMillis, shadows, storage }: Figures): void => {
  storageWrites.updateUnsafe(storage === "ok" ? 1 : 0, context)
  if (Option.isSome(oldestDueMillis)) oldestDueSeconds.updateUnsafe(oldestDueMillis.value / 1_000, context)
  callsWaiting.updateUnsafe(capture.waiting, context)
  raise(callsDropped, capture.dropped)
  shadowsWaiting.updateUnsafe(shadows.waiting, context)
  raise(shadowsDropped, shadows.dropped)
  const { system, user } = process.cpuUsage()
  residentBytes.updateUnsafe(process.memoryUsage.rss(), context)
  raise(cpuSeconds, (user + system) / 1e6)
}

/** For exporters: updates the gauges at their interval. */
export const follow = (figures: Effect.Effect<Figures>): Effect.Effect<never> =>
  Effect.forever(Effect.andThen(Effect.map(figures, note), Effect.sleep(Limits.metricsFollowMillis)))

const page = (figures: Figures): string => {
  note(figures)
  return PrometheusMetrics.formatUnsafe(context)
}

/** One counter each: a metric works its key out when it is made. */
const makeCounters = () => {
  const counters = new Map<string, typeof requests>()
  return (method: string, status: number): typeof requests => {
    const name = `${method} ${status}`
    const known = counters.get(name)
    if (known !== undefined) return known
    const made = Metric.withAttributes(requests, { method, status: String(status) })
    counters.set(name, made)
    return made
  }
}

/** Counts what `handler` answers. */
export const counting = (handler: NodeHandler): NodeHandler => {
  const counterOf = makeCounters()
  return (request, response) => {
    const startedAt = performance.now()
    response.once("finish", () => {
      counterOf(request.method ?? "", response.statusCode).updateUnsafe(1, context)
      durations.updateUnsafe((performance.now() - startedAt) / 1000, context)
    })
    handler(request, response)
  }
}

/** Answers `/metrics` itself. `whole`: makes the page of all processes, this one's among them. */
export const wrap = (
  handler: NodeHandler,
  figures: Effect.Effect<Figures>,
  whole: (own: Effect.Effect<string>) => Effect.Effect<string>,
  responseHeaders: App<never>["responseHeaders"]
): NodeHandler => {
  const shown = whole(Effect.map(figures, page))
  return (request, response) => {
    const [path] = (request.url ?? "").split("?")
    // Node sends no body to a HEAD.
    if (path === "/metrics" && (request.method === "GET" || request.method === "HEAD")) {
      const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8" }
      void Effect.runPromise(shown).then((text) =>
        response.writeHead(200, { ...responseHeaders(), ...noStoreHeaders, ...headers }).end(text)
      )
      return
    }
    handler(request, response)
  }
}
