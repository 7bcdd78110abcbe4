/** The commands of the program `limbeck`, and how one is run to its exit code. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@limbeck/server/Settings"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { prices, source, token, trigger, webhooks } from "./commands/AccessCommands.ts"
import { json } from "./commands/Command.ts"
import {
  decide,
  deploy,
  importLog,
  propose,
  race,
  retrain,
  run,
  student,
  upload,
  watch
} from "./commands/LoopCommands.ts"
import { logs, nouns } from "./commands/NounCommands.ts"
import { person } from "./commands/PersonCommands.ts"
import { billing, doctor, init, serve, up, workspace } from "./commands/ServerCommands.ts"
import * as Presenter from "./terminal/Presenter.ts"
import * as Terminal from "./terminal/Terminal.ts"

const limbeck = Command.make("limbeck").pipe(
  Command.withDescription(
    "From captured model calls to a student that serves them. From token on, commands ask the server at LIMBECK_URL (http://127.0.0.1:8080 by default) with LIMBECK_TOKEN. Settings are read from the environment, and from .env in this folder"
  ),
  Command.withSubcommands([
    up,
    init,
    serve,
    doctor,
    workspace,
    person,
    billing,
    token,
    source,
    prices,
    upload,
    importLog,
    propose,
    run,
    race,
    watch,
    student,
    deploy,
    decide,
    retrain,
    webhooks,
    trigger,
    ...nouns,
    logs
  ]),
  Command.withGlobalFlags([json])
)

const exitCodes = { failure: 1, wrongCommand: 2 } as const

/** A wrong command was presented already; a defect was not. */
const codeOf = (cause: Cause.Cause<unknown>): number => {
  if (!Cause.hasDies(cause)) return exitCodes.wrongCommand
  Terminal.failure({ code: "defect", lines: Cause.pretty(cause).split("\n") })
  return exitCodes.failure
}

/** The code that the command has set. */
const takeExitCode = (): number => {
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return code
}

/** Runs the command in these words, and returns the exit code of the process. */
export const execute = (words: ReadonlyArray<string>): Promise<number> =>
  Command.runWith(limbeck, { version })(words).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, Presenter.layer)),
    Effect.matchCause({ onSuccess: takeExitCode, onFailure: codeOf }),
    Effect.runPromise
  )
