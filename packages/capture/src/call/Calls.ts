/** Captured calls for their owners: listed, read with related data, and removed. */
import { type NotFound, notFound, type StorageError } from "@limbeck/core/errors/Errors"
import { firstPage, type Page, type PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { NotYet, retryUntilReady } from "@limbeck/core/storage/NotYet"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Feedback } from "../feedback/Feedback.ts"
import { CaptureLimits } from "../Limits.ts"
import { Sources } from "../source/Sources.ts"
import { searchPage } from "./CallSearch.ts"
import { type CallFilter, CallStore } from "./CallStore.ts"
import { type CapturedCall, isMadeSince, type ShadowResult } from "./CapturedCall.ts"

export interface CallDetail {
  readonly call: CapturedCall
  /** Oldest first. */
  readonly shadows: ReadonlyArray<ShadowResult>
  /** The newest, oldest first. */
  readonly feedback: ReadonlyArray<Feedback>
}

export interface CallSearch extends CallFilter {
  /** What the request or the answer contains, in upper or lower case. */
  readonly text?: string | undefined
}

export class Calls extends Context.Service<
  Calls,
  {
    /**
     * Newest first; without calls that verify, unless the filter asks for those. `source` is a name or an id; an
     * unknown source has no calls. A page with a `text` scans a limited number of calls (`CaptureLimits`), so that it may end before its limit, and be empty while older calls follow.
     */
    readonly page: (
      partition: Partition,
      filter: CallSearch,
      request: PageRequest
    ) => Effect.Effect<Page<CapturedCall>, StorageError>
    /** Waits a moment for a call that was just made. */
    readonly get: (partition: Partition, id: string) => Effect.Effect<CallDetail, NotFound | StorageError>
    /** Waits as `get` does. */
    readonly remove: (partition: Partition, id: string) => Effect.Effect<void, NotFound | StorageError>
  }
>()("@limbeck/capture/call/Calls") {}

const missing = (id: string) => notFound("captured call", id)

const make = Effect.gen(function* () {
  const store = yield* CallStore
  const sources = yield* Sources

  /** The call in storage. A very recent call may be stored a moment later, because its answer came first. */
  const look = Effect.fnUntraced(function* (partition: Partition, id: string) {
    const found = yield* store.find(partition, id)
    if (Option.isSome(found)) return found.value
    const isComing = isMadeSince(id, (yield* Clock.currentTimeMillis) - CaptureLimits.callArrivalMillis)
    return yield* Effect.fail(isComing ? new NotYet(missing(id)) : missing(id))
  })

  /** Calls outlive their source, and are found by its id still. */
  const idOf = (partition: Partition, nameOrId: string) =>
    Effect.map(sources.resolve(partition, nameOrId), (found) =>
      Option.match(found, { onNone: () => nameOrId, onSome: ({ id }) => id })
    )

  return Calls.of({
    page: Effect.fnUntraced(function* (partition, { text, ...filter }, request) {
      const source = filter.source === undefined ? undefined : yield* idOf(partition, filter.source)
      const read = (wanted: PageRequest) => store.page(partition, { verifies: false, ...filter, source }, wanted)
      return yield* text === undefined ? read(request) : searchPage(read, text, request)
    }),
    get: Effect.fnUntraced(function* (partition, id) {
      const call = yield* retryUntilReady(look(partition, id))
      const shadows = yield* store.shadowsOf(partition, id)
      const { items } = yield* store.pageFeedback(partition, { call: id }, firstPage(CaptureLimits.feedbackShownMax))
      return { call, shadows, feedback: items.toReversed() }
    }),
    remove: Effect.fn("Calls.remove")(function* (partition, id) {
      yield* retryUntilReady(look(partition, id))
      const wasThere = yield* store.remove(partition, id)
      if (!wasThere) return yield* missing(id)
    })
  })
})

export const layer: Layer.Layer<Calls, never, CallStore | Sources> = Layer.effect(Calls, make)
