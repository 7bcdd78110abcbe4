/** The configured executors of a host, and the choice of one for a run. */
import * as Executor from "@limbeck/distill/run/Executor"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"

/**
 * `stub` takes every dry run; `builtin` and `llm` take live runs of their engines' students. Without one, such runs are
 * refused with a sentence about the missing setup.
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
