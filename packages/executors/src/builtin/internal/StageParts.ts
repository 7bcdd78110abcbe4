/** Shared parts of the builtin student's stages: messages, payment, and the model between stages. */
import { Progress, type Progress as ProgressType, type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import type { Usage } from "@limbeck/distill/run/Run"
import { PublishResult } from "@limbeck/distill/student/StudentModel"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Model from "../Model.ts"
import type { Tables } from "../tables/Tables.ts"
import { Unreadable } from "./Container.ts"
import * as Templates from "./Templates.ts"

/** Paid for at a time, in seconds: little enough that a small budget is used up, and never passed. */
export const quantumSeconds = 0.05

const decodeTrained = Schema.decodeUnknownOption(PublishResult)

export const log = (message: string, level: "info" | "warn" = "info") => Progress.Log({ level, message })
export const metric = (name: string, unit: string, value: number) => Progress.Metric({ name, unit, step: 1, value })

export const fail = (code: string, message: string, retryable = false) => new StageFailure({ code, message, retryable })

/** A stream of the given progress. */
export const script = (...said: ReadonlyArray<ProgressType>): Stream.Stream<ProgressType> => Stream.fromIterable(said)

export const usageOf = (seconds: number): Usage => ({ gpuSeconds: Math.round(seconds * 1e6) / 1e6, judgeTokens: 0 })

export const fetch = ({ blobs }: StageContext, sha256: string) =>
  Effect.map(Stream.runCollect(blobs.get(sha256)), Buffer.concat)

/** The model of this run's sft stage. */
export const trainedModel = Effect.fnUntraced(function* (context: StageContext, tables: Tables) {
  const trained = decodeTrained(context.run.stages.find(({ kind }) => kind === "sft")?.result)
  if (Option.isNone(trained)) return yield* fail("no_model", "The run has no trained model")
  const { artifact } = trained.value
  const model = Model.load(yield* fetch(context, artifact.sha256), tables)
  if (model instanceof Unreadable) return yield* fail("model_unreadable", `The model cannot be read: ${model.reason}`)
  return { artifact, model: Templates.addressing(model) }
})
