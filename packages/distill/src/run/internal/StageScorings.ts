/** An executor's access to scoring for a stage. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ScoringGrants from "../../scoring/internal/ScoringGrants.ts"
import type { JudgeTokens } from "../../scoring/JudgeBudget.ts"
import { type JudgesLook, StageFailure, type StageScoring } from "../Executor.ts"
import type * as Run from "../Run.ts"
import type { RunHold } from "./RunHold.ts"

const unanswered = new StageFailure({
  code: "storage_unavailable",
  message: "The storage did not answer",
  retryable: true
})

const superseded = new StageFailure({
  code: "scoring_superseded",
  message: "Another attempt of the stage has completions scored",
  retryable: true
})

const decodeRewards = Schema.decodeUnknownOption(Schema.Struct({ rewards: Schema.Array(Schema.String) }))

const rewardsIn = ({ recipe }: Run.Run): ReadonlyArray<string> =>
  Option.match(decodeRewards(recipe), { onNone: () => [], onSome: ({ rewards }) => rewards })

const lookAt = ({ spent, wanted }: JudgeTokens): JudgesLook => ({ spent, wanted })

type ScoringChange<E> = Effect.Effect<{ readonly judges: JudgeTokens } | undefined, E>

const looked = <E>(changed: ScoringChange<E>) =>
  Effect.flatMap(
    Effect.mapError(changed, () => unanswered),
    (found) => (found === undefined ? Effect.fail(superseded) : Effect.succeed(lookAt(found.judges)))
  )

export const make = Effect.map(ScoringGrants.make, (grants) => (hold: RunHold, stage: Run.RunStage): StageScoring => {
  const { partition } = hold.work
  const run = hold.run()
  let digest = ""
  const grant = () => ({ id: run.id, digest })
  // Scoring reads the stored run: the capability requires a stored attempt.
  const opened = Effect.map(
    Effect.andThen(
      hold.write,
      Effect.suspend(() => grants.open(partition, run.id, stage))
    ),
    (made) => {
      digest = made.digest
      return { capability: made.capability, ...lookAt(made.judges) }
    }
  )
  return {
    rewards: rewardsIn(run),
    open: Effect.mapError(opened, () => unanswered),
    look: Effect.suspend(() => looked(grants.prolong(partition, grant()))),
    allow: (allowed) =>
      Effect.suspend(() =>
        Effect.asVoid(looked(grants.charge(partition, grant(), (judges) => ({ ...judges, allowed }))))
      )
  }
})
