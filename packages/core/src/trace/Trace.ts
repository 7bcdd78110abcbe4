/**
 * Traces (W3C Trace Context). Spans are off wherever nobody turned them on: a request that is sampled, or work that goes on
 * with the trace of one, turns them on for itself. So a process without a tracer, and a request that is not sampled, make none.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpTraceContext from "effect/http/HttpTraceContext"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Tracer from "effect/Tracer"

/** The share of requests, from 0 to 1, that are traced among those that come without a trace of their own. */
export const SampleRatio = Context.Reference<number>("@limbeck/core/trace/SampleRatio", { defaultValue: () => 1 })

/** Whether there is a tracer that keeps spans; the default one keeps none. */
export const isKept = (context: Context.Context<never>): boolean =>
  Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer

/** Whether spans that are made now are kept. */
export const isOn = (context: Context.Context<never>): boolean =>
  isKept(context) && Context.get(context, References.TracerEnabled)

/** The span that a `traceparent` names; undefined where it names none. */
export const parse = (traceparent: string | undefined): Tracer.ExternalSpan | undefined =>
  traceparent === undefined
    ? undefined
    : Option.getOrUndefined(HttpTraceContext.w3c(Headers.fromRecordUnsafe({ traceparent })))

/** The `traceparent` of a span. */
export const format = ({ sampled, spanId, traceId }: Pick<Tracer.AnySpan, "sampled" | "spanId" | "traceId">): string =>
  `00-${traceId.padStart(32, "0")}-${spanId}-${sampled ? "01" : "00"}`

/** The `traceparent` of the span under way; null where nothing is traced. */
export const current: Effect.Effect<string | null> = Effect.contextWith((context: Context.Context<never>) => {
  const span = isOn(context) ? Option.getOrUndefined(Context.getOption(context, Tracer.ParentSpan)) : undefined
  return Effect.succeed(span?.sampled ? format(span) : null)
})

/** The work as a span where spans are kept: to begin one that nobody keeps takes longer than much of what is done. */
export const spanned =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.contextWith((context: Context.Context<never>) => (isOn(context) ? Effect.withSpan(work, name) : work))

/** The work as a span of the trace that `traceparent` names; the work alone where it names none, or nobody keeps spans. */
export const continued =
  (traceparent: string | null | undefined, name: string, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.contextWith((context: Context.Context<never>) => {
      const parent = isKept(context) ? parse(traceparent ?? undefined) : undefined
      if (!parent?.sampled) return work
      // The span is the nearest one, whatever else the work asks for.
      const traced = Effect.withSpan(work, name, { ...options, parent }) as Effect.Effect<A, E, R>
      return Effect.withTracerEnabled(traced, true)
    })
