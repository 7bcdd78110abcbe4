/** What the worlds of tests share: partitions, and the services that every subject needs beside a storage. */
import { EventStore } from "@limbeck/core/events/EventStore"
import * as Events from "@limbeck/core/events/Events"
import * as Ids from "@limbeck/core/ids/Ids"
import * as Page from "@limbeck/core/pages/Page"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import { CallRows } from "@limbeck/distill/dataset/CallRows"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

const workspace = "ws_00000000000000000000000001"

/** The two modes of one workspace, and a foreign workspace that must see neither. */
export const live = Partition.make(workspace, true)
export const test = Partition.make(workspace, false)
export const stranger = Partition.make("ws_00000000000000000000000002", true)

/** Secrets under a key of zeros. */
export const secrets = Secrets.layer([Redacted.make(new Uint8Array(32))])

/**
 * Ids and secrets. They ask for the platform's random numbers and ciphers.
 *
 * @example
 * const base = Layer.merge(StorageMemory.layer, World.services).pipe(Layer.provideMerge(Crypto.layer))
 */
export const services = Layer.merge(Ids.layer, secrets)

/** Events are stored without a fan-out. */
export const events = Layer.provide(Events.layer, Events.Fanout.none)

/** No call was ever captured, and no row reviewed. */
export const nothingCaptured = Layer.succeed(CallRows, {
  resolve: (_, filter) => Effect.succeed(filter),
  scan: () => Stream.empty,
  reviews: () => Effect.succeed({ find: () => Effect.undefined, ofPrompt: () => undefined, isEmpty: true })
})

/**
 * The newest thousand events of a partition, oldest first.
 *
 * @example
 * assert.deepStrictEqual((yield* World.eventsOf(World.live)).map(({ type }) => type), ["distill.pull.succeeded"])
 */
export const eventsOf = Effect.fnUntraced(function* (partition: Partition.Partition = live) {
  const { items } = yield* (yield* EventStore).page(partition, null, Page.firstPage(1_000))
  return items.toReversed()
})

/**
 * The facts of a failure, its class and its message; undefined for a success.
 *
 * @example
 * assert.deepInclude(yield* World.failureOf(runs.cancel(World.live, "run_1")), { _tag: "NotFound" })
 */
export const failureOf = <A, R>(effect: Effect.Effect<A, { readonly _tag: string; readonly message: string }, R>) =>
  Effect.match(effect, {
    onFailure: (error): { readonly _tag: string; readonly message: string; readonly [fact: string]: unknown } => ({
      ...error,
      _tag: error._tag,
      message: error.message
    }),
    onSuccess: () => undefined
  })
