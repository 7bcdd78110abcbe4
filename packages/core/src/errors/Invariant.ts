/** Invariants at run time: a broken one is a defect, logged with its facts and counted. Nothing is decided from a state that cannot be. */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"

export const brokenInvariants = Metric.counter("limbeck_invariants_broken_total", {
  description: "States that broke an invariant of this program",
  incremental: true
})

/** `mistake`: the number and text of the invariant; null where all hold. */
export const check = (
  component: string,
  mistake: string | null,
  facts: Readonly<Record<string, unknown>>
): Effect.Effect<void> => {
  if (mistake === null) return Effect.void
  return Effect.annotateLogs(Effect.logError("invariant_broken", mistake), { ...facts, component }).pipe(
    Effect.andThen(Metric.update(brokenInvariants, 1)),
    Effect.andThen(Effect.die(new Error(`${component} broke invariant ${mistake}`)))
  )
}
