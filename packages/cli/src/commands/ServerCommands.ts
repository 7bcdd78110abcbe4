/** Commands of who runs a server: they read its settings from the environment, and from `.env`. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Serve from "../serve/Serve.ts"
import { ending } from "./Command.ts"

/** A command imports its modules when it runs: the parent of several servers needs no server. */
const workspaces = () => import("../workspace/Workspace.ts")

const processes = Flag.String("processes").pipe(
  Flag.withDescription("How many processes answer on the port: a number, or auto for one per core; 1 by default"),
  Flag.withDefault("1")
)

export const serve = Command.make("serve", { processes }, ({ processes }) =>
  ending(() => Serve.run(process.env, processes))
).pipe(Command.withDescription("Start the server; every setting is an environment variable (docs/configuration.md)"))

const starting = {
  email: Flag.String("email").pipe(
    Flag.withDescription("The e-mail address of the first owner, whom the link signs in"),
    Flag.withDefault("owner@localhost")
  ),
  browser: Flag.Boolean("browser").pipe(
    Flag.withDescription("Open the page in a browser, where a terminal has one; --no-browser does not"),
    Flag.withDefault(true)
  )
}

export const up = Command.make("up", starting, ({ browser, email }) =>
  ending(async (output) => (await import("../up/Up.ts")).run(process.cwd(), output, { email, mayOpen: browser }))
).pipe(
  Command.withDescription("Write .env if there is none, start the server, and show URL, tokens and a sign-in link")
)

export const init = Command.make("init", {}, () =>
  ending(async (output) => (await import("../init/Init.ts")).run(process.cwd(), output))
).pipe(Command.withDescription("Ask three questions, and write the settings of a server into .env"))

export const doctor = Command.make("doctor", {}, () =>
  ending(async (output) => (await import("../doctor/Doctor.ts")).run(process.env, output))
).pipe(
  Command.withDescription(
    "Say what is wrong with the settings of serve, the machine, the database, and the server at LIMBECK_URL; changes nothing"
  )
)

const name = Flag.String("name").pipe(Flag.withDescription("What people call it: 1 to 200 characters"))
const plan = Flag.String("plan").pipe(
  Flag.withDescription("A lower-case word; that of a new workspace is self_hosted by default"),
  Flag.optional
)
const id = Argument.String("id").pipe(Argument.withDescription("The id of the workspace: ws_…"))

const create = Command.make("create", { name, plan }, ({ name, plan }) =>
  ending(async (output) => {
    const Workspace = await workspaces()
    return Workspace.run(process.env, output, Workspace.create(name, Option.getOrUndefined(plan)))
  })
).pipe(Command.withDescription("Make a workspace, and show its two full-access tokens this once"))

const list = Command.make("list", {}, () =>
  ending(async (output) => {
    const Workspace = await workspaces()
    return Workspace.run(process.env, output, Workspace.list)
  })
).pipe(Command.withDescription("Show id, plan and name of every workspace, the newest first"))

const update = Command.make("update", { id, name: Flag.optional(name), plan }, ({ id, name, plan }) =>
  ending(async (output) => {
    const Workspace = await workspaces()
    const action = Workspace.update(id, Option.getOrUndefined(name), Option.getOrUndefined(plan))
    return Workspace.run(process.env, output, action)
  })
).pipe(Command.withDescription("Change the name or the plan of a workspace"))

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Make, change and list workspaces, with the settings of serve; also while servers run"),
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
  ending(async (output) => {
    const TopUp = await import("../billing/TopUp.ts")
    return TopUp.run(process.env, output, workspace, { amountUsd: amount, reference })
  })
).pipe(Command.withDescription("Add to the balance of a workspace"))

export const billing = Command.make("billing").pipe(
  Command.withDescription("Balances of workspaces, with the settings of serve; also while servers run"),
  Command.withSubcommands([topUp])
)
