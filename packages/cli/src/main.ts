#!/usr/bin/env node
/** The program `limbeck`: one command each for what people do with it. `limbeck serve` is what `npm start` runs. */
// Before all else, which would be made without it.
import "@limbeck/node/Pretenuring"
import { existsSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@limbeck/server/Settings"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { source, token, webhooks } from "./commands/AccessCommands.ts"
import { json } from "./commands/Command.ts"
import { deploy, importLog, propose, run, student, upload, watch } from "./commands/LoopCommands.ts"
import { person } from "./commands/PersonCommands.ts"
import { billing, doctor, init, serve, workspace } from "./commands/ServerCommands.ts"

// What the environment has wins.
if (existsSync(".env")) process.loadEnvFile(".env")

const limbeck = Command.make("limbeck").pipe(
  Command.withDescription(
    "From captured model calls to a student that serves them. From token on, commands ask the server at LIMBECK_URL (http://127.0.0.1:8080 by default) with LIMBECK_TOKEN. Settings are read from the environment, and from .env in this folder"
  ),
  Command.withSubcommands([
    init,
    serve,
    doctor,
    workspace,
    person,
    billing,
    token,
    source,
    upload,
    importLog,
    propose,
    run,
    watch,
    student,
    deploy,
    webhooks
  ]),
  Command.withGlobalFlags([json])
)

const program = Command.run(limbeck, { version: version }).pipe(Effect.provide(NodeServices.layer))
// A wrong command was told on the terminal already.
process.exit(
  await Effect.runPromise(Effect.match(program, { onSuccess: () => process.exitCode ?? 0, onFailure: () => 2 }))
)
