/** The program `limbeck`, with one subcommand per task. `npm start` runs `limbeck serve`. */
// Imported first, because it affects everything loaded later.
import "@limbeck/node/Pretenuring"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@limbeck/server/Settings"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { prices, source, token, webhooks } from "./commands/AccessCommands.ts"
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
import { person } from "./commands/PersonCommands.ts"
import { billing, doctor, init, serve, up, workspace } from "./commands/ServerCommands.ts"
import * as DotEnv from "./DotEnv.ts"
import * as Presenter from "./terminal/Presenter.ts"
import * as Terminal from "./terminal/Terminal.ts"

DotEnv.load()

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
    webhooks
  ]),
  Command.withGlobalFlags([json])
)

const program = Command.run(limbeck, { version: version }).pipe(
  Effect.provide(Layer.merge(NodeServices.layer, Presenter.layer))
)

const exitCodes = { failure: 1, wrongCommand: 2 } as const

/** A wrong command was presented already; a defect was not. */
const codeOf = (cause: Cause.Cause<unknown>): number => {
  if (!Cause.hasDies(cause)) return exitCodes.wrongCommand
  Terminal.failure({ code: "defect", lines: Cause.pretty(cause).split("\n") })
  return exitCodes.failure
}

process.exit(
  await Effect.runPromise(
    Effect.matchCause(program, { onSuccess: () => Number(process.exitCode ?? 0), onFailure: codeOf })
  )
)
