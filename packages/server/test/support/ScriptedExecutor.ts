/** A scripted executor: by default each stage succeeds at once. */
import type { StageKind } from "@limbeck/distill/recipe/Recipe"
import { type Executor, Progress, type StageContext, type StageFailure } from "@limbeck/distill/run/Executor"
import * as Stream from "effect/Stream"

type Script = Stream.Stream<Progress, StageFailure>

export const done = (result: string): Script =>
  Stream.succeed(Progress.Finished({ outcome: "succeeded", result: { result } }))

/** Emits the items one after the other, and then the stage is done. */
export const saying = (...said: ReadonlyArray<Progress>): Script =>
  Stream.concat(Stream.fromIterable(said), done("said"))

export class ScriptedExecutor {
  /** What each stage does from now on; the attempt counts from 1. */
  readonly stages = new Map<StageKind, (context: StageContext) => Script>()

  readonly executor: Executor = {
    name: "scripted",
    execute: (context) => this.stages.get(context.stage.kind)?.(context) ?? done(context.stage.kind)
  }
}
