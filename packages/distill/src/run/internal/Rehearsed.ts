/** What a trainer that took part in a rehearsal measured, by two steps of each stage. Pure. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RunStage } from "../Run.ts"

const Stub = Schema.Struct({ stub: Schema.Literal(true) })
const isStub = Schema.is(Stub)

const seconds = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const decode = Schema.decodeUnknownOption(
  Schema.Struct({ details: Schema.Struct({ seconds, startup_seconds: Schema.optionalKey(seconds) }) })
)

export interface RehearsedStage {
  readonly kind: RunStage["kind"]
  /** The estimated time of all its steps, and of the startup; null without the trainer's figures. */
  readonly seconds: number | null
  readonly startupSeconds: number
}

/** The stages rehearsed by a trainer. */
export const stagesOf = (stages: ReadonlyArray<Pick<RunStage, "kind" | "result">>): ReadonlyArray<RehearsedStage> =>
  stages
    .filter(({ kind, result }) => (kind === "sft" || kind === "grpo") && result !== null && !isStub(result))
    .map(({ kind, result }) =>
      Option.match(decode(result), {
        onNone: () => ({ kind, seconds: null, startupSeconds: 0 }),
        onSome: ({ details }) => ({ kind, seconds: details.seconds, startupSeconds: details.startup_seconds ?? 0 })
      })
    )
