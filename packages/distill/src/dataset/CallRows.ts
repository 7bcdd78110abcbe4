/** Rows made of captured calls: by default of succeeded chat completions that a teacher answered. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import { saying } from "@limbeck/capture/call/CallTextRules"
import * as Sources from "@limbeck/capture/source/Sources"
import { type ReferenceUnknown, referenceUnknown, type StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Turns from "@limbeck/core/turns/Turns"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallsFilter } from "./CallsFilter.ts"
import * as CallRow from "./internal/CallRow.ts"

export class CallRows extends Context.Service<
  CallRows,
  {
    /**
     * The filter with the source's id in place of its name; rejects an unknown source with the path
     * `from.calls.source`.
     */
    readonly resolve: (
      partition: Partition,
      filter: CallsFilter
    ) => Effect.Effect<CallsFilter, ReferenceUnknown | StorageError>
    /**
     * Streams chat completions from before `before` as JSON texts of upload rows, newest first, in constant memory: succeeded
     * ones that no student answered, unless the filter names another outcome or responder. Null for a call beyond the size
     * or the member count of a row.
     */
    readonly scan: (
      partition: Partition,
      filter: CallsFilter,
      before: Millis
    ) => Stream.Stream<string | null, StorageError>
  }
>()("@limbeck/distill/dataset/CallRows") {}

/** The responders by default: a student learns from a student's answers only if the filter names that responder. */
const teachers = ["upstream", "shadow", "upstream_fallback"] as const

const make = Effect.gen(function* () {
  const sources = yield* Sources.Sources
  const calls = yield* CallStore

  const resolve = Effect.fnUntraced(function* (partition: Partition, filter: CallsFilter) {
    if (filter.source === undefined) return filter
    const found = yield* sources.resolve(partition, filter.source)
    if (Option.isNone(found)) return yield* referenceUnknown("source", filter.source, "from.calls.source")
    return { ...filter, source: found.value.id }
  })

  const scan = (partition: Partition, filter: CallsFilter, before: Millis) => {
    const { tag, tags = [], text } = filter
    const reading = text === undefined ? CallRow.reading : CallRow.readingWhere(saying(text))
    const rows = calls
      .scan(partition, {
        source: filter.source,
        tags: tag === undefined ? tags : [...tags, tag],
        model: filter.model,
        externalId: filter.externalId,
        endpoint: "chat.completions",
        outcome: filter.outcome ?? "succeeded",
        servedBy: filter.servedBy === undefined ? teachers : [filter.servedBy],
        createdAfter: filter.createdAfter ?? null,
        createdBefore: Math.min(before, filter.createdBefore ?? before),
        feedbackMin: filter.minFeedback ?? null
      })
      .pipe(
        Stream.mapArrayEffect((calls) => Turns.forEach(calls, reading)),
        Stream.filter((row) => row !== undefined)
      )
    return filter.limit === undefined ? rows : Stream.take(rows, filter.limit)
  }

  return CallRows.of({ resolve, scan })
})

export const layer: Layer.Layer<CallRows, never, Sources.Sources | CallStore> = Layer.effect(CallRows, make)
