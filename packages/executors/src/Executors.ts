/** The executors that a host has set up, and which of them takes a run. */
import * as Executor from "@limbeck/distill/run/Executor"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/**
 * `stub` takes every dry run. `live` is who takes live runs of language-model students; without one they are refused with a
 * sentence that says what to set up.
 */
export const layer = (options: {
  readonly stub: Executor.Executor
  readonly live?: Executor.Executor
}): Layer.Layer<Executor.Executors> => {
  const all = [options.stub, ...(options.live === undefined ? [] : [options.live])]
  return Layer.succeed(Executor.Executors, {
    find: (name) => all.find((executor) => executor.name === name),
    choose: ({ dryRun, engine }) => {
      if (dryRun) return Result.succeed(options.stub)
      if (options.live !== undefined) return Result.succeed(options.live)
      return Result.fail(
        engine === "llm"
          ? "No trainer is set up for language models: set TRAINER_COMMAND, or EXECUTOR=stub to try things out"
          : "This server trains no builtin students yet: set EXECUTOR=stub to try live runs out"
      )
    }
  })
}
