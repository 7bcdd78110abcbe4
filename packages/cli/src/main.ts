#!/usr/bin/env node
/** The program `limbeck`: one command each for what people do with it. `limbeck serve` is what `npm start` runs. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@limbeck/server/Settings"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Serve from "./serve/Serve.ts"

const serve = Command.make("serve", {}, () =>
  Effect.promise(async () => {
    process.exitCode = await Serve.run(process.env)
  })
).pipe(Command.withDescription("Start the server; every setting is an environment variable (docs/configuration.md)"))

const limbeck = Command.make("limbeck").pipe(
  Command.withDescription("From captured model calls to a student that serves them"),
  Command.withSubcommands([serve])
)

const program = Command.run(limbeck, { version: version }).pipe(Effect.provide(NodeServices.layer))
// A wrong command was told on the terminal already.
process.exit(
  await Effect.runPromise(Effect.match(program, { onSuccess: () => process.exitCode ?? 0, onFailure: () => 2 }))
)
