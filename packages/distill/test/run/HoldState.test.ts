import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import type { Run } from "@limbeck/distill/run/Run"
import type { NewRecord } from "@limbeck/distill/run/RunRecords"
import * as Fresh from "@limbeck/testing/fixtures/Fresh"
import { newRun, version } from "@limbeck/testing/fixtures/Plans"
import * as HoldState from "../../src/run/internal/HoldState.ts"
import * as RunChanges from "../../src/run/internal/RunChanges.ts"
import * as RunEnding from "../../src/run/internal/RunEnding.ts"

const data = version()
const start = (): HoldState.HoldState => HoldState.make({ revision: 3, value: newRun(data) })

const line = (number: number): NewRecord => ({
  kind: "log",
  line: { stage: 1, at: Fresh.start, level: "info", message: String(number) }
})

/** A step of the running stage, with its record. */
const progress = (state: HoldState.HoldState, number: number) =>
  HoldState.add(state, (draft) => RunChanges.note(draft, { ...draft.run, updatedAt: number }, line(number)))

const succeeded = (run: Run): Run => ({ ...run, status: "succeeded", report: Fresh.id("rpt") })

const succeed = (state: HoldState.HoldState) => {
  const next = succeeded(HoldState.runOf(state))
  const ending = RunEnding.make(next, data, Fresh.start)
  return HoldState.add(state, (draft) => RunChanges.note(draft, next, line(-1)), ending)
}

const commit = (state: HoldState.HoldState) => HoldState.commit(state, state.stored.revision + 1)

/** The state, once its invariants are checked. */
const sound = (state: HoldState.HoldState) => {
  assert.isNull(HoldState.mistakeIn(state))
  return state
}

const numbersOf = (batch: HoldState.Batch) =>
  batch.draft.records.map((record) => (record.kind === "log" ? Number(record.line.message) : record.kind))

/** Any order of steps and writes that fail or succeed, then a success, and writes until all is written. */
const history = (seed: number) => {
  const bits = SeededRandom.make(seed)
  const next = () => bits() / 2 ** 32
  const added: Array<number> = []
  const committed: Array<unknown> = []
  let endings = 0
  let commits = 0
  let state = start()
  const write = (isLost: boolean) => {
    const { writing } = state
    if (writing === null) return HoldState.beginWrite(state)
    if (isLost) return HoldState.failWrite(state)
    committed.push(...numbersOf(writing))
    if (writing.ending !== null) endings++
    commits++
    return commit(state)
  }
  const move = (change: () => HoldState.HoldState) => {
    sound(state)
    state = change()
    sound(state)
  }
  for (let step = 0; step < 200; step++) {
    if (next() < 0.5) {
      added.push(step)
      move(() => progress(state, step))
    } else move(() => write(next() < 0.3))
  }
  added.push(-1)
  move(() => succeed(state))
  move(() => progress(state, 1_000))
  while (state.writing !== null || state.next.steps > 0) move(() => write(next() < 0.3))
  return { added, committed, commits, endings, state }
}

describe("HoldState", () => {
  it("whatever fails, the invariants hold before and after each move, and every record is committed once, in order (P138)", () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { added, committed, commits, endings, state } = history(seed)
      assert.deepStrictEqual(committed, added, `seed ${seed}`)
      assert.strictEqual(endings, 1, `seed ${seed}`)
      assert.strictEqual(state.stored.revision, 3 + commits, `seed ${seed}`)
      assert.strictEqual(state.stored.value, HoldState.runOf(state))
      assert.strictEqual(state.stored.value.status, "succeeded")
    }
  })

  it("a step that comes during a write is for the next write, whether this one succeeds or fails", () => {
    const writing = progress(HoldState.beginWrite(progress(start(), 1)), 2)
    assert.deepStrictEqual(numbersOf(commit(writing).next), [2])
    assert.deepStrictEqual(numbersOf(HoldState.failWrite(writing).next), [1, 2])
  })

  it("a success that comes during a failed write is written by the next, with what it leaves", () => {
    const state = HoldState.failWrite(succeed(HoldState.beginWrite(progress(start(), 1))))
    assert.deepStrictEqual(numbersOf(sound(state).next), [1, -1])
    assert.isNotNull(state.next.ending)
  })

  it("each invariant that is broken is named", () => {
    const state = progress(start(), 1)
    const ended = commit(HoldState.beginWrite(succeed(start())))
    const broken: ReadonlyArray<readonly [HoldState.HoldState, string]> = [
      [{ ...state, stored: { revision: 4, value: newRun(data) } }, "1"],
      [{ ...HoldState.beginWrite(state), next: state.next }, "1"],
      [{ ...state, next: { ...state.next, steps: 0 } }, "2"],
      [{ ...state, next: { ...state.next, ending: succeed(state).next.ending } }, "3"],
      [{ ...state, next: { ...succeed(state).next, ending: null } }, "3"],
      [{ ...ended, next: { ...ended.next, steps: 1 } }, "4"]
    ]
    for (const [state, number] of broken) assert.strictEqual(HoldState.mistakeIn(state)?.slice(0, 1), number)
  })
})
