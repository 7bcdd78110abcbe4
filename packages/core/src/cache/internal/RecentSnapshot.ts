/**
 * A cache's values from an earlier process, and the loop that saves the current ones.
 *
 * ```
 *   start ── load ──▶ restored ── first `get` of the key ──▶ an entry of the cache, stale from the beginning
 *                        └── older than an hour ──▶ dropped
 *   entries ── every few seconds if they changed, at once after `revise`, and at the end ──▶ saved
 * ```
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { Limits } from "../../Limits.ts"
import { Snapshots } from "../SnapshotStore.ts"
import { type CachedState, OwnStates } from "./OwnStates.ts"
import * as SnapshotRules from "./SnapshotRules.ts"

/** How a cache is kept across a restart. */
export interface SnapshotOptions<A> {
  readonly name: string
  /** Null for a value that stands for an absent resource. */
  readonly encode: (value: A) => Schema.Json
  readonly decode: (json: Schema.Json) => Option.Option<A>
  /** Keys for the snapshot, if the cache's own keys are secrets. */
  readonly keys?: {
    readonly ofValue: (value: A) => string
    readonly ofKey: (key: string) => Effect.Effect<string>
  }
}

export interface RecentSnapshot<A> {
  /** Takes an earlier process's value of the key out of the snapshot; undefined without one. */
  readonly take: (key: string) => Effect.Effect<CachedState<A> | undefined>
  /** False once nothing is left to take. */
  readonly hasMore: () => boolean
  /** Applies a change by this process to what was not taken yet, and saves at once. */
  readonly revise: (change: (known: A, key: string) => A | undefined) => void
  /** The entry was removed, by this process or because storage refused the key. */
  readonly noteRemoval: (key: string, value: A) => void
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: steps that share the restored and the last saved states
export const make = Effect.fnUntraced(function* <A>(
  { decode, encode, keys, name }: SnapshotOptions<A>,
  entries: ReadonlyMap<string, CachedState<A>>
): Effect.fn.Return<RecentSnapshot<A> | null, never, Scope.Scope> {
  const store = yield* Snapshots
  if (store === null) return null
  const clock = yield* Clock.Clock
  const now = () => clock.currentTimeMillisUnsafe()
  const storedKey = (key: string, value: A) => keys?.ofValue(value) ?? key
  const restored = new Map<string, CachedState<A>>()
  /** Keys that this process has removed, and when. */
  const removals = new Map<string, number>()
  const own = new OwnStates(encode, storedKey)
  const isRevised = Latch.makeUnsafe(false)
  let lastText = ""
  /** Keys with a value in the snapshot. */
  let written: ReadonlySet<string> = new Set()

  const states = Effect.map(store.load(name), (text) => SnapshotRules.read(text, now()))

  const noteWritten = (all: ReadonlyArray<SnapshotRules.KeyState>) => {
    written = new Set(all.flatMap(({ key, value }) => (value === null ? [] : [key])))
  }

  const loaded = yield* states
  noteWritten(loaded)
  for (const { key, knownAt, value } of loaded) {
    const decoded = value === null ? Option.none<A>() : decode(value)
    if (Option.isSome(decoded)) restored.set(key, { value: decoded.value, readAt: knownAt, knownAt })
  }

  const prune = () => {
    const oldest = now() - Limits.recentStaleMillis
    for (const [key, { readAt }] of restored) if (readAt <= oldest) restored.delete(key)
    for (const [key, removedAt] of removals) if (removedAt <= oldest) removals.delete(key)
  }

  /** Entries removed by this process, and entries changed before their first request. */
  function* changesOfRestored(): Generator<SnapshotRules.KeyState> {
    for (const [key, knownAt] of removals) yield { key, knownAt, value: null }
    for (const [key, { knownAt, readAt, value }] of restored) {
      if (knownAt !== readAt) yield { key, knownAt, value: encode(value) }
    }
  }

  const save = (grainMillis: number) =>
    Effect.gen(function* () {
      isRevised.closeUnsafe()
      prune()
      const mine = [...changesOfRestored(), ...own.of(entries, grainMillis, written)]
      const text = SnapshotRules.write(mine)
      if (text === lastText) return
      const all = SnapshotRules.mergeStates(mine, yield* states)
      if (!(yield* store.save(name, SnapshotRules.write(all)))) return
      lastText = text
      noteWritten(all)
    })

  // Registered before the loop is forked, so that it runs after the loop's end.
  yield* Effect.addFinalizer(() => save(0))
  yield* Effect.forkScoped(
    Effect.timeoutOption(isRevised.await, Limits.snapshotMillis).pipe(
      Effect.andThen(save(Limits.snapshotGrainMillis)),
      Effect.forever
    )
  )

  return {
    hasMore: () => restored.size > 0,
    take: (key) =>
      Effect.map(keys === undefined ? Effect.succeed(key) : keys.ofKey(key), (stored) => {
        const known = restored.get(stored)
        restored.delete(stored)
        return known
      }),
    revise: (change) => {
      for (const [key, known] of [...restored]) {
        const value = change(known.value, key)
        if (value === known.value) continue
        restored.delete(key)
        if (value === undefined) removals.set(key, now())
        else restored.set(key, { ...known, value, knownAt: now() })
      }
      isRevised.openUnsafe()
    },
    noteRemoval: (key, value) => void removals.set(storedKey(key, value), now())
  }
})
