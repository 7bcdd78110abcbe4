/**
 * The text of a snapshot. Processes that share a folder share one snapshot: of two states of a key the later one counts. A key
 * that was removed stays without a value, so that an older state of another process does not bring it back. Pure.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Limits } from "../../Limits.ts"

/** What was known of a key, and when. */
export interface KeyState {
  readonly key: string
  /** Milliseconds: when storage said so, or this process changed it. */
  readonly knownAt: number
  /** Null: removed. */
  readonly value: Schema.Json
}

const version = 1

const State = Schema.Struct({ key: Schema.String, knownAt: Schema.Finite, value: Schema.Json })
const Text = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(version), states: Schema.Array(State) }))
const decodeText = Schema.decodeUnknownOption(Text)

/** Whether it may still stand in for storage. A time in the future was written by a clock that was ahead. */
const isUsable = ({ knownAt }: KeyState, now: number): boolean =>
  knownAt <= now && now - knownAt < Limits.recentStaleMillis

/** The states of a text that are usable at `now`; none if it is no snapshot of this version. */
export const read = (text: string | null, now: number): ReadonlyArray<KeyState> =>
  Option.match(decodeText(text), {
    onNone: () => [],
    onSome: ({ states }) => states.filter((state) => isUsable(state, now))
  })

/** The later state of each key, the latest first, as many as a snapshot holds. `own` counts where times are equal. */
export const merged = (own: ReadonlyArray<KeyState>, others: ReadonlyArray<KeyState>): ReadonlyArray<KeyState> => {
  const latest = new Map<string, KeyState>()
  for (const state of [...others, ...own]) {
    const known = latest.get(state.key)
    if (known === undefined || known.knownAt <= state.knownAt) latest.set(state.key, state)
  }
  return [...latest.values()].sort((a, b) => b.knownAt - a.knownAt).slice(0, Limits.snapshotMax)
}

export const write = (states: ReadonlyArray<KeyState>): string => JSON.stringify({ version, states })
