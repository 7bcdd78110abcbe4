/**
 * Has the completions of a trainer scored by the server. The trainer is told of a file, which says where to ask and with which
 * capability; each attempt writes it anew. Judges that score are paid for from the run's budget.
 */
import path from "node:path"
import { budgetExceeded, type JudgesLook, type StageContext, type StageFailure } from "@limbeck/distill/run/Executor"
import { scoringPath } from "@limbeck/distill/scoring/ScoringPath"
import * as Effect from "effect/Effect"
import { io, writeJson } from "./Files.ts"
import { ProcessLimits } from "./Limits.ts"
import type { Metering } from "./Metering.ts"
import type { Place } from "./Place.ts"

export interface Scoring {
  /** The recipe's. */
  readonly rewards: ReadonlyArray<string>
  /** `{url, token}`, for the trainer to read before it asks. */
  readonly file: string
  /** What judges have taken since the stage's beginning, when somebody looked last. */
  readonly spent: () => number
  readonly look: Effect.Effect<JudgesLook, StageFailure>
  /** Buys what judges are to take, again and again; ends when the budget does not hold it. */
  readonly untilRefused: (metering: Pick<Metering, "buy">) => Effect.Effect<StageFailure>
}

/** `server`: where the trainer reaches it. */
export const open = Effect.fnUntraced(function* ({ run, scoring }: StageContext, place: Place, server: string) {
  const file = path.join(place.stage, "scoring.json")
  const { capability, spent: before } = yield* scoring.open
  yield* io(() => writeJson(file, { url: `${server}${scoringPath(run.id)}`, token: capability }))
  let spent = before
  let allowed = 0

  const look = Effect.tap(scoring.look, (seen) =>
    Effect.sync(() => {
      spent = seen.spent
    })
  )

  const buy = Effect.fnUntraced(function* (metering: Pick<Metering, "buy">) {
    const { wanted } = yield* look
    if (wanted <= allowed) return
    yield* metering.buy(wanted)
    yield* scoring.allow(wanted)
    allowed = wanted
  })

  const opened: Scoring = {
    rewards: scoring.rewards,
    file,
    spent: () => spent,
    look,
    untilRefused: (metering) =>
      buy(metering).pipe(
        // Storage that does not answer now may answer later; one that lost its lease is stopped by the next write.
        Effect.catchIf(
          ({ code }) => code !== budgetExceeded,
          () => Effect.void
        ),
        Effect.andThen(Effect.sleep(ProcessLimits.scoringLookMillis)),
        Effect.forever,
        Effect.flip
      )
  }
  return opened
})
