/** What estimates of the builtin student are made of: how fast the machine is that trains it, and what rows are to it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Census } from "../dataset/Census.ts"
import type { Row } from "../dataset/Row.ts"

/** Counts row by row; mutable, and held by one. */
export interface CensusTaker {
  readonly add: (row: Row) => void
  /** Characters that were read so far. */
  readonly characters: () => number
  readonly census: () => Census
}

export interface StudentProbe {
  /**
   * 2 where trainings take half the time that they took on the machine whose figures `BuiltinEstimate` has. Nobody waits for
   * it: what was measured last, and 1 before anything was.
   */
  readonly speed: Effect.Effect<number>
  /** Begins a count; null where nobody knows how the student reads. */
  readonly censusTaker: (() => CensusTaker) | null
}

/** Unless somebody measures, this machine is taken to be that one, and rows to be like rows of plain language. */
export const StudentProbe: Context.Reference<StudentProbe> = Context.Reference<StudentProbe>(
  "@limbeck/distill/recipe/StudentProbe",
  { defaultValue: () => ({ speed: Effect.succeed(1), censusTaker: null }) }
)

/** Machines are told apart in steps of a fifth, so that luck in measuring seldom shows in an estimate. */
const stepsOfTwo = 4
const bound = 16

/** A measured speed as it is used. */
export const rounded = (speed: number): number => {
  const within = Math.min(bound, Math.max(1 / bound, speed))
  return Number((2 ** (Math.round(Math.log2(within) * stepsOfTwo) / stepsOfTwo)).toPrecision(3))
}
