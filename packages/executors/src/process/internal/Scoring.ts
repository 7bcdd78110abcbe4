/**
 * Lets the server score a trainer's completions. A file tells the trainer the address and the capability; each attempt
 * rewrites the file. The run's budget pays for judges.
 */
import path from "node:path"
import { budgetExceeded, type JudgesLook, type StageContext, type StageFailure } from "@limbeck/distill/run/Executor"
import { scoringPath } from "@limbeck/distill/scoring/ScoringPath"
import * as Effect from "effect/Effect"
import { io, writeJson } from "./Files.ts"
import { ProcessLimits } from "./Limits.ts"
import type { Metering } from "./Metering.ts"
import type { Place } from "./Place.ts"

export interface ScoringSession {
  /** The recipe's. */
  readonly rewards: ReadonlyArray<string>
  /** `{url, token}`, for the trainer to read before it asks. */
  readonly file: string
  /** What judges have taken since the stage's beginning, when somebody looked last. */
  readonly spentTokens: () => number
  readonly look: Effect.Effect<JudgesLook, StageFailure>
  /** Reserves the judges' tokens repeatedly; ends when the budget cannot hold them. */
  readonly reserveUntilRefused: (metering: Pick<Metering, "buy">) => Effect.Effect<StageFailure>
}

/** `server`: the address of this server for the trainer. */
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

  const opened: ScoringSession = {
    rewards: scoring.rewards,
    file,
    spentTokens: () => spent,
    look,
    reserveUntilRefused: (metering) =>
      buy(metering).pipe(
        // A storage outage may end by itself; a lost lease is noticed by the next write.
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
