/**
 * What the builtin student tells before it is trained: the inputs of its estimates (the speed of the training machine, the census of
 * the rows), and the rows whose answers look wrong.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import type { Census } from "../dataset/Census.ts"
import type { Row } from "../dataset/Row.ts"
import type { Examination, Unexaminable } from "../suspects/Examination.ts"

/** Counts row by row; mutable, and held by one. */
export interface CensusTaker {
  readonly add: (row: Row) => void
  /** Characters read so far. */
  readonly characters: () => number
  readonly census: () => Census
}

interface Probe {
  /**
   * The relative speed of this machine: 2 if trainings take half the time of the reference machine in
   * `BuiltinEstimate`. Returns the last measurement at once, and 1 before the first.
   */
  readonly speed: Effect.Effect<number>
  /** Starts a census; null without a builtin student. */
  readonly censusTaker: (() => CensusTaker) | null
  /** Examines rows by out-of-fold probabilities, the same for the same rows and seed; null without a builtin student. */
  readonly examine:
    | (<E>(rows: Stream.Stream<Row, E>, seed: number) => Effect.Effect<Examination | Unexaminable, E>)
    | null
}

/** A port without a default: an assembly that forgets it does not compile. */
export class StudentProbe extends Context.Service<StudentProbe, Probe>()("@limbeck/distill/recipe/StudentProbe") {}

/** Without measurements: this machine has the speed of the reference machine, and rows are like rows of plain language. */
export const layerUnmeasured: Layer.Layer<StudentProbe> = Layer.succeed(StudentProbe, {
  speed: Effect.succeed(1),
  censusTaker: null,
  examine: null
})

/** Speeds are rounded to steps of a fifth, so that noise in a measurement seldom changes an estimate. */
const stepsOfTwo = 4
const bound = 16

/** Rounds and bounds a measured speed. */
export const roundSpeed = (speed: number): number => {
  const within = Math.min(bound, Math.max(1 / bound, speed))
  return Number((2 ** (Math.round(Math.log2(within) * stepsOfTwo) / stepsOfTwo)).toPrecision(3))
}
