/** The executors that a host has set up, and which of them takes a run. */
import * as Executor from "@limbeck/distill/run/Executor"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/**
 * `stub` takes every dry run; `builtin` and `llm` take live runs of the students of their engines. Without one, such runs
 * are refused with a sentence that says what to set up.
 */
export const layer = (options: {
  readonly stub: Executor.Executor
  readonly builtin?: Executor.Executor
  readonly llm?: Executor.Executor
}): Layer.Layer<Executor.Executors> => {
  const { builtin, llm, stub } = options
  const all = [stub, builtin, llm].filter((executor) => executor !== undefined)
  const refusals = {
    builtin: "This server has no executor for builtin students",
    llm:
      "No trainer is set up for language models: install one and name the command that starts it in TRAINER_COMMAND, " +
      "or set EXECUTOR=stub to try things out"
  }
  return Layer.succeed(Executor.Executors, {
    find: (name) => all.find((executor) => executor.name === name),
    choose: ({ dryRun, engine }) => {
      const executor = dryRun ? stub : options[engine]
      return executor === undefined ? Result.fail(refusals[engine]) : Result.succeed(executor)
    }
  })
}
