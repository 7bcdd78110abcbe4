/**
 * A worker's view of its run, with its stored part. Pure: `RunHold` keeps one such state and does the writing.
 *
 *            add                      beginWrite
 *   Clean ─────────▶ Ahead ───────────────────────────▶ Writing ──┐ add: for the next write
 *     ▲                ▲                                 │  │  ▲  │
 *     │ commit, and    │ commit, and steps were          │  │  └──┘
 *     │ nothing added  │ added since beginWrite          │  │
 *     └────────────────┴─────────────────────────────────┘  │
 *                      ▲                                    │
 *                      └──────── failWrite ─────────────────┘
 *
 *   Clean    writing = null, next.steps = 0     storage has everything
 *   Ahead    writing = null, next.steps > 0     a write is due
 *   Writing  writing ≠ null                     one transaction is under way
 *
 * Who changes what: messages of the executor and reservations add steps; `RunHold.write` begins, commits and fails writes,
 * one at a time. Invariants, which `mistakeIn` checks before each write:
 *
 *   1. Each batch begins at the end of the previous one: `writing` at `stored`, `next` at `writing`, or else at `stored`.
 *   2. A batch without steps changes nothing: no records, no events, no ending, the same run.
 *   3. The results of a success are in the batch that ends the run with success, and nowhere else.
 *   4. Nothing is added to a run that has ended.
 *
 * And two that hold over time, which the tests check on whole histories:
 *
 *   5. Records and events are committed in the order of their addition, each once, after any number of failed writes.
 *   6. The stored revision grows by one with each commit, and never otherwise.
 */
import type { StoredResource } from "@limbeck/core/resources/Kind"
import type * as Run from "../Run.ts"
import { isTerminal } from "../RunMachine.ts"
import * as RunChanges from "./RunChanges.ts"
import type { RunEnding } from "./RunEnding.ts"

/** Steps that one transaction writes. */
export interface Batch {
  /** The run before the first step. */
  readonly from: Run.Run
  readonly draft: RunChanges.Draft
  /** The results of a success, to be inserted with it. */
  readonly ending: RunEnding | null
  readonly steps: number
}

export interface HoldState {
  /** The run as storage has it. */
  readonly stored: StoredResource<Run.Run>
  /** The batch that is being written. */
  readonly writing: Batch | null
  /** What was added since. */
  readonly next: Batch
}

const emptyFrom = (run: Run.Run): Batch => ({
  from: run,
  draft: RunChanges.noChange(run),
  ending: null,
  steps: 0
})

export const make = (stored: StoredResource<Run.Run>): HoldState => ({
  stored,
  writing: null,
  next: emptyFrom(stored.value)
})

/** The run after every step, written or not. */
export const runOf = ({ next }: HoldState): Run.Run => next.draft.run

/** Adds a step to the draft. An ended run takes none. */
export const add = (
  state: HoldState,
  change: (draft: RunChanges.Draft) => RunChanges.Draft,
  ending: RunEnding | null = null
): HoldState => {
  const { next } = state
  if (isTerminal(next.draft.run.status)) return state
  const draft = change(next.draft)
  return { ...state, next: { ...next, draft, ending: ending ?? next.ending, steps: next.steps + 1 } }
}

/** Must not be called during a write. */
export const beginWrite = (state: HoldState): HoldState => ({
  ...state,
  writing: state.next,
  next: emptyFrom(state.next.draft.run)
})

export const commit = (state: HoldState, revision: number): HoldState => ({
  ...state,
  stored: { revision, value: state.writing?.draft.run ?? state.stored.value },
  writing: null
})

/** The next write includes this one's steps, before those added meanwhile. */
export const failWrite = (state: HoldState): HoldState => {
  const { next, writing } = state
  if (writing === null) return state
  const draft: RunChanges.Draft = {
    run: next.draft.run,
    records: [...writing.draft.records, ...next.draft.records],
    events: [...writing.draft.events, ...next.draft.events]
  }
  const ending = next.ending ?? writing.ending
  return { ...state, writing: null, next: { from: writing.from, draft, ending, steps: writing.steps + next.steps } }
}

const mistakeInBatch = ({ draft, ending, from, steps }: Batch): string | null => {
  const isEmpty = draft.run === from && draft.records.length + draft.events.length === 0 && ending === null
  if (steps === 0 && !isEmpty) return "2: a batch without steps changes something"
  const succeeds = from.status !== "succeeded" && draft.run.status === "succeeded"
  if ((ending !== null) !== succeeds) return "3: a success and what it leaves are not in one batch"
  return isTerminal(from.status) && steps > 0 ? "4: something was added to a run that has ended" : null
}

/** The number and text of an invariant that does not hold; null where all do. */
export const mistakeIn = ({ next, stored, writing }: HoldState): string | null => {
  const isChain =
    (writing === null || writing.from === stored.value) && next.from === (writing?.draft.run ?? stored.value)
  if (!isChain) return "1: a batch does not begin where the one before it ends"
  return (writing === null ? null : mistakeInBatch(writing)) ?? mistakeInBatch(next)
}
