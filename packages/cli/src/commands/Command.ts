/** What the commands have in common: how they end, and how they tell. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"
import * as Output from "../Output.ts"
import * as Remote from "../remote/Remote.ts"

export const json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Show results as JSON, one value in each line"),
    Flag.withDefault(false)
  )
})

/** Runs to the exit code of the process. */
export const ending = (run: (output: Output.Output) => Promise<number>) =>
  Effect.gen(function* () {
    const output = Output.make(yield* json)
    process.exitCode = yield* Effect.promise(() => run(output))
  })

/** A command that calls a running server. */
export const asking = (command: Remote.Command) => ending((output) => Remote.run(process.env, output, command))

export const listOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
