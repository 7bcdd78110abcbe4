#!/usr/bin/env node
/** The program `limbeck`: one command each for what people do with it. `limbeck serve` is what `npm start` runs. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@limbeck/server/Settings"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as TopUp from "./billing/TopUp.ts"
import * as Serve from "./serve/Serve.ts"
import * as Workspace from "./workspace/Workspace.ts"

const ending = (run: () => Promise<number>) =>
  Effect.promise(async () => {
    process.exitCode = await run()
  })

const serve = Command.make("serve", {}, () => ending(() => Serve.run(process.env))).pipe(
  Command.withDescription("Start the server; every setting is an environment variable (docs/configuration.md)")
)

const name = Flag.String("name").pipe(Flag.withDescription("What people call it: 1 to 200 characters"))
const plan = Flag.String("plan").pipe(
  Flag.withDescription("A lower-case word; that of a new workspace is self_hosted by default"),
  Flag.optional
)
const id = Argument.String("id").pipe(Argument.withDescription("The id of the workspace: ws_…"))

const create = Command.make("create", { name, plan }, ({ name, plan }) =>
  ending(() => Workspace.run(process.env, Workspace.create(name, Option.getOrUndefined(plan))))
).pipe(Command.withDescription("Make a workspace, and show its two full-access tokens this once"))

const list = Command.make("list", {}, () => ending(() => Workspace.run(process.env, Workspace.list))).pipe(
  Command.withDescription("Show id, plan and name of every workspace, the newest first")
)

const update = Command.make("update", { id, name: Flag.optional(name), plan }, ({ id, name, plan }) =>
  ending(() =>
    Workspace.run(process.env, Workspace.update(id, Option.getOrUndefined(name), Option.getOrUndefined(plan)))
  )
).pipe(Command.withDescription("Change the name or the plan of a workspace"))

const workspace = Command.make("workspace").pipe(
  Command.withDescription(
    "Make, change and list workspaces, with the settings of serve: on a Postgres while servers run, on the embedded one while none does"
  ),
  Command.withSubcommands([create, list, update])
)

const payment = {
  workspace: Flag.String("workspace").pipe(Flag.withDescription("The id of the workspace: ws_…")),
  amount: Flag.Finite("amount").pipe(Flag.withDescription("US dollars, with at most 6 decimals")),
  reference: Flag.String("reference").pipe(
    Flag.withDescription("Your name of the payment; the same one again changes nothing")
  )
}

const topUp = Command.make("top-up", payment, ({ amount, reference, workspace }) =>
  ending(() => TopUp.run(process.env, workspace, { amountUsd: amount, reference }))
).pipe(Command.withDescription("Add to the balance of a workspace"))

const billing = Command.make("billing").pipe(
  Command.withDescription(
    "Balances of workspaces, with the settings of serve: on a Postgres while servers run, on the embedded one while none does"
  ),
  Command.withSubcommands([topUp])
)

const limbeck = Command.make("limbeck").pipe(
  Command.withDescription("From captured model calls to a student that serves them"),
  Command.withSubcommands([serve, workspace, billing])
)

const program = Command.run(limbeck, { version: version }).pipe(Effect.provide(NodeServices.layer))
// A wrong command was told on the terminal already.
process.exit(
  await Effect.runPromise(Effect.match(program, { onSuccess: () => process.exitCode ?? 0, onFailure: () => 2 }))
)
