/** Requests the metrics of processes, and joins the pages that arrive in time. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Limits } from "../Limits.ts"
import { join } from "./MetricsPages.ts"

/** A process that has metrics: its number, and how a request reaches it. */
export interface MetricsSource {
  readonly number: number
  readonly request: (request: number) => void
}

export type MetricsCollector = ReturnType<typeof make>

export const make = () => {
  const pending = new Map<string, Deferred.Deferred<string>>()
  let requests = 0

  const pageOf = (source: MetricsSource, request: number) =>
    Effect.suspend(() => {
      const key = `${source.number} ${request}`
      const page = Deferred.makeUnsafe<string>()
      pending.set(key, page)
      source.request(request)
      return Deferred.await(page).pipe(
        Effect.timeoutOption(Limits.metricsMillis),
        Effect.map(Option.map((text) => [source.number, text] as const)),
        Effect.ensuring(Effect.sync(() => pending.delete(key)))
      )
    })

  return {
    receive: (number: number, request: number, text: string): void => {
      const page = pending.get(`${number} ${request}`)
      if (page !== undefined) Deferred.doneUnsafe(page, Effect.succeed(text))
    },
    /** Leaves out a process that does not answer within a second. */
    page: (sources: ReadonlyArray<MetricsSource>): Effect.Effect<string> =>
      Effect.suspend(() => {
        const request = ++requests
        const pages = Effect.forEach(sources, (source) => pageOf(source, request), { concurrency: "unbounded" })
        return Effect.map(pages, (answers) => join(new Map(answers.flatMap(Option.toArray))))
      })
  }
}
