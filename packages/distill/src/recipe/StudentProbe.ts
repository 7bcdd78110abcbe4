/** How fast the machine is that trains builtin students, so that estimates hold on it. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export interface StudentProbe {
  /**
   * 2 where trainings take half the time that they took on the machine whose figures `BuiltinEstimate` has. Measured once, and
   * always the same after: the same proposal twice has the same estimate.
   */
  readonly speed: Effect.Effect<number>
}

/** Unless somebody measures, this machine is taken to be that one. */
export const StudentProbe: Context.Reference<StudentProbe> = Context.Reference<StudentProbe>(
  "@limbeck/distill/recipe/StudentProbe",
  { defaultValue: () => ({ speed: Effect.succeed(1) }) }
)

/** Machines are told apart in steps of a fifth, so that luck in measuring seldom shows in an estimate. */
const stepsOfTwo = 4
const bound = 16

/** A measured speed as it is used. */
export const rounded = (speed: number): number => {
  const within = Math.min(bound, Math.max(1 / bound, speed))
  return Number((2 ** (Math.round(Math.log2(within) * stepsOfTwo) / stepsOfTwo)).toPrecision(3))
}
