/** Whether an evaluation asks the teacher of its version again, and about how many rows (contract 16.32). */
import { CallStore } from "@limbeck/capture/call/CallStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { DistillLimits } from "../../Limits.ts"
import type { RepeatedTeacher } from "../../race/Candidates.ts"
import { EvalConfig } from "../../recipe/Recipe.ts"
import * as TeacherCalls from "../../report/internal/TeacherCalls.ts"
import { type StageContext, StageFailure } from "../Executor.ts"

const decodeConfig = Schema.decodeUnknownOption(EvalConfig)

const unknown = new StageFailure({
  code: "teacher_unknown",
  message:
    "teacher_repeats needs a version of calls that one model of a source answered: leave it out, or choose the calls by model",
  retryable: false
})

/** Makes the choice for a live run; null: nobody is asked. A given number without a known teacher fails the stage. */
export const make = Effect.map(CallStore, (calls) =>
  Effect.fnUntraced(function* (context: StageContext): Effect.fn.Return<RepeatedTeacher | null, StageFailure> {
    const config = Option.getOrElse(decodeConfig(context.stage.config), (): EvalConfig => ({}))
    const { teacher_repeats: given } = config
    const rows = given ?? DistillLimits.teacherRepeats
    if (rows === 0) return null
    const teacher = yield* TeacherCalls.teacherOf(calls, context)
    if (teacher === undefined) return given === undefined ? null : yield* unknown
    const { endpoint, model, source } = teacher
    const asked = { source, model, rows, isGiven: given !== undefined }
    const isDecided = (context.version.questions ?? []).length > 0
    return isDecided ? { ...asked, dialect: endpoint === "systemone" ? "systemone" : "openai" } : asked
  })
)
