/**
 * Sends traces and metrics to an OpenTelemetry collector, by OTLP over HTTP as JSON. Batches leave in the background: a
 * slow or unreachable collector delays nothing. A refused batch is dropped, and sending pauses for a minute.
 */
import { hostname } from "node:os"
import * as Trace from "@limbeck/core/trace/Trace"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as Layer from "effect/Layer"
import * as OtlpMetrics from "effect/observability/OtlpMetrics"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"

export interface TelemetryOptions {
  /** Of the collector, such as `http://localhost:4318`: `/v1/traces` and `/v1/metrics` are put behind it. */
  readonly endpoint: string
  /** Sent with every export: a collector's credential, for example. */
  readonly headers?: Readonly<Record<string, string>>
  /** `service.name`; by default `limbeck`. */
  readonly serviceName?: string
  /** The traced share of requests that arrive without a trace, from 0 to 1; by default 0.05. */
  readonly sampleRatio?: number
  /** How long spans wait for each other; by default 5 seconds. */
  readonly tracesEvery?: Duration.Input
  /** By default 10 seconds. */
  readonly metricsEvery?: Duration.Input
}

/** A call that is traced costs up to six tenths more CPU (docs/operate/telemetry.md), so this share is small. */
export const defaultSampleRatio = 0.05

/** A collector that takes longer is away: what waits for it is in memory. */
const exportMillisMax = 5_000
/** What is left at a stop has this time to leave. */
const shutdownTimeout = "2 seconds"

const inTime = (client: HttpClient.HttpClient) =>
  HttpClient.transform(client, (response, request) =>
    Effect.timeoutOrElse(response, {
      duration: exportMillisMax,
      orElse: () => {
        const description = `no answer in ${exportMillisMax} ms`
        const reason = new HttpClientError.TransportError({ request, description })
        return Effect.fail(new HttpClientError.HttpClientError({ reason }))
      }
    })
  )

/** Says once that nothing arrives, and says it again after something did. */
const watchClient = (client: HttpClient.HttpClient) => {
  let isAway = false
  const lost = Effect.fnUntraced(function* (reason: string) {
    if (isAway) return
    isAway = true
    yield* Effect.annotateLogs(Effect.logWarning("telemetry_not_exported"), { reason })
  })
  return inTime(client).pipe(
    HttpClient.tap(({ status }) => {
      if (status >= 300) return lost(`the collector answered ${status}`)
      isAway = false
      return Effect.void
    }),
    HttpClient.tapError((error) => lost(error.message))
  )
}

const client = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, watchClient)).pipe(
  Layer.provide(FetchHttpClient.layer)
)

/** A tracer, its sampler, and the export of the process's metrics. */
export const layer = (options: TelemetryOptions): Layer.Layer<never> => {
  const { headers, metricsEvery = "10 seconds", sampleRatio = defaultSampleRatio, tracesEvery } = options
  const base = options.endpoint.replace(/\/$/, "")
  const shared = {
    headers,
    shutdownTimeout,
    resource: {
      serviceName: options.serviceName ?? "limbeck",
      attributes: { "service.instance.id": `${hostname()}:${process.pid}` }
    }
  } as const
  return Layer.mergeAll(
    OtlpTracer.layer({ ...shared, url: `${base}/v1/traces`, exportInterval: tracesEvery }),
    OtlpMetrics.layer({ ...shared, url: `${base}/v1/metrics`, exportInterval: metricsEvery }),
    Layer.succeed(Trace.SampleRatio, sampleRatio)
  ).pipe(Layer.provide([client, OtlpSerialization.layerJson]))
}
