/**
 * Traces (W3C Trace Context). Spans are off by default; a sampled request, or work that continues its trace, enables
 * them. So a process without a tracer and an unsampled request make no spans.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** The traced share of requests without a trace, from 0 to 1. */
export const SampleRatio = Context.Reference<number>("@limbeck/core/trace/SampleRatio", { defaultValue: () => 1 })

/** Whether a tracer records spans; the default tracer does not. */
export const isKept = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/** Whether new spans are recorded. */
export const isOn = (context: Context.Context<never>): boolean =>
  isKept(context) && Context.get(context, References.TracerEnabled)

/** The span of a `traceparent`; undefined for an invalid value. */
export const parse = (traceparent: string | undefined): Tracer.ExternalSpan | undefined =>
  traceparent === undefined
    ? undefined
    : Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent })))

/** The `traceparent` of a span. */
export const format = ({ sampled, spanId, traceId }: Pick<Tracer.AnySpan, "sampled" | "spanId" | "traceId">): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`

/** The `traceparent` of the current span; null without tracing. */
export const current: Effect.Effect<string | null> = Effect.contextWith((context: Context.Context<never>) => {
  const span = isOn(context) ? Option.getOrUndefined(Context.getOption(context, Tracer.ParentSpan)) : undefined
  return Effect.succeed(span?.sampled ? format(span) : null)
})

/** Wraps the work in a span if spans are recorded, because even an unrecorded span costs more than much of the work. */
export const traceSpan =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.contextWith((context: Context.Context<never>) => (isOn(context) ? Effect.withSpan(work, name) : work))

/** Runs the work as a span of the trace in `traceparent`; without one, or without a tracer, runs the work alone. */
export const continueTrace =
  (traceparent: string | null | undefined, name: string, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.contextWith((context: Context.Context<never>) => {
      const parent = isKept(context) ? parse(traceparent ?? undefined) : undefined
      if (!parent?.sampled) return work
      // The span is the nearest one, whatever else the work asks for.
      const traced = Effect.withSpan(work, name, { ...options, parent }) as Effect.Effect<A, E, R>
      return Effect.withTracerEnabled(traced, true)
    })
