/**
 * The text of a snapshot. Processes with a common folder share one snapshot: of two states of a key the later one counts. A
 * removed key stays without a value, so that another process's older state does not restore it. Pure.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Limits } from "../../Limits.ts"

/** The state of a key at a time. */
export interface KeyState {
  readonly key: string
  /** Milliseconds: when storage returned the value, or this process changed it. */
  readonly knownAt: number
  /** Null: removed. */
  readonly value: Schema.Json
}

const version = 1

const State = Schema.Struct({ key: Schema.String, knownAt: Schema.Finite, value: Schema.Json })
const Text = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(version), states: Schema.Array(State) }))
const decodeText = Schema.decodeUnknownOption(Text)

/** Whether the state may still replace storage. A future time came from a clock ahead of ours. */
const isUsable = ({ knownAt }: KeyState, now: number): boolean =>
  knownAt <= now && now - knownAt < Limits.recentStaleMillis

/** The usable states of a text at `now`; none for another version or form. */
export const read = (text: string | null, now: number): ReadonlyArray<KeyState> =>
  Option.match(decodeText(text), {
    onNone: () => [],
    onSome: ({ states }) => states.filter((state) => isUsable(state, now))
  })

/** The later state of each key, the latest first, as many as a snapshot holds. `own` counts where times are equal. */
export const mergeStates = (own: ReadonlyArray<KeyState>, others: ReadonlyArray<KeyState>): ReadonlyArray<KeyState> => {
  const latest = new Map<string, KeyState>()
  for (const state of [...others, ...own]) {
    const known = latest.get(state.key)
    if (known === undefined || known.knownAt <= state.knownAt) latest.set(state.key, state)
  }
  return [...latest.values()].sort((a, b) => b.knownAt - a.knownAt).slice(0, Limits.snapshotMax)
}

export const write = (states: ReadonlyArray<KeyState>): string => JSON.stringify({ version, states })
