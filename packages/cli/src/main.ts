#!/usr/bin/env node
/** The program `limbeck`: one command each for what people do with it. `limbeck serve` is what `npm start` runs. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { version } from "@limbeck/server/Settings"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Listen from "./remote/Listen.ts"
import * as Remote from "./remote/Remote.ts"
import * as Upload from "./remote/Upload.ts"
import * as Watch from "./remote/Watch.ts"
import * as Serve from "./serve/Serve.ts"

const ending = (run: () => Promise<number>) =>
  Effect.promise(async () => {
    process.exitCode = await run()
  })

/** A command loads what it needs when it is run: the parent of several servers is no server. */
const workspaces = () => import("./workspace/Workspace.ts")

const processes = Flag.String("processes").pipe(
  Flag.withDescription("How many processes answer on the port: a number, or auto for one per core; 1 by default"),
  Flag.withDefault("1")
)

const serve = Command.make("serve", { processes }, ({ processes }) =>
  ending(() => Serve.run(process.env, processes))
).pipe(Command.withDescription("Start the server; every setting is an environment variable (docs/configuration.md)"))

const name = Flag.String("name").pipe(Flag.withDescription("What people call it: 1 to 200 characters"))
const plan = Flag.String("plan").pipe(
  Flag.withDescription("A lower-case word; that of a new workspace is self_hosted by default"),
  Flag.optional
)
const id = Argument.String("id").pipe(Argument.withDescription("The id of the workspace: ws_…"))

const create = Command.make("create", { name, plan }, ({ name, plan }) =>
  ending(async () => {
    const Workspace = await workspaces()
    return Workspace.run(process.env, Workspace.create(name, Option.getOrUndefined(plan)))
  })
).pipe(Command.withDescription("Make a workspace, and show its two full-access tokens this once"))

const list = Command.make("list", {}, () =>
  ending(async () => {
    const Workspace = await workspaces()
    return Workspace.run(process.env, Workspace.list)
  })
).pipe(Command.withDescription("Show id, plan and name of every workspace, the newest first"))

const update = Command.make("update", { id, name: Flag.optional(name), plan }, ({ id, name, plan }) =>
  ending(async () => {
    const Workspace = await workspaces()
    return Workspace.run(process.env, Workspace.update(id, Option.getOrUndefined(name), Option.getOrUndefined(plan)))
  })
).pipe(Command.withDescription("Change the name or the plan of a workspace"))

const workspace = Command.make("workspace").pipe(
  Command.withDescription(
    "Make, change and list workspaces, with the settings of serve: on a Postgres while servers run, on the embedded one while none does"
  ),
  Command.withSubcommands([create, list, update])
)

const people = () => import("./person/Person.ts")

const email = Argument.String("email").pipe(Argument.withDescription("The e-mail address of the person"))
const who = Argument.String("person").pipe(Argument.withDescription("An e-mail address, or an id: usr_…"))
const within = Flag.String("workspace").pipe(Flag.withDescription("The id of the workspace: ws_…"))
const mayBe = "an owner may do all, a member all but what is for people, a viewer reads"
const personName = Flag.optional(
  Flag.String("name").pipe(Flag.withDescription("What others call them; by default the e-mail address"))
)

const addPerson = Command.make(
  "add",
  {
    email,
    workspace: within,
    role: Flag.Literals("role", ["owner", "member", "viewer"]).pipe(Flag.withDescription(`In the workspace: ${mayBe}`)),
    name: personName
  },
  ({ email, name, role, workspace }) =>
    ending(async () => {
      const Person = await people()
      return Person.run(process.env, Person.add(email, workspace, role, Option.getOrUndefined(name)))
    })
).pipe(Command.withDescription("Give somebody a role in a workspace; link lets them in"))

const listPeople = Command.make("list", { workspace: Flag.optional(within) }, ({ workspace }) =>
  ending(async () => {
    const Person = await people()
    return Person.run(process.env, Person.list(Option.getOrUndefined(workspace)))
  })
).pipe(Command.withDescription("Show id, e-mail address, roles and name of everybody, the newest first"))

const changeRole = Command.make(
  "role",
  {
    person: who,
    workspace: within,
    role: Flag.Literals("role", ["owner", "member", "viewer", "none"]).pipe(
      Flag.withDescription(`In the workspace: ${mayBe}; none takes the role away`)
    )
  },
  ({ person, role, workspace }) =>
    ending(async () => {
      const Person = await people()
      return Person.run(process.env, Person.setRole(person, workspace, role === "none" ? null : role))
    })
).pipe(Command.withDescription("Change somebody's role in a workspace"))

const removePerson = Command.make("remove", { person: who }, ({ person }) =>
  ending(async () => {
    const Person = await people()
    return Person.run(process.env, Person.remove(person))
  })
).pipe(Command.withDescription("Remove a person; their sessions end at once"))

const linkPerson = Command.make("link", { person: who }, ({ person }) =>
  ending(async () => {
    const Person = await people()
    return Person.run(process.env, Person.link(person))
  })
).pipe(Command.withDescription("Make a link that signs a person in once, within a quarter of an hour"))

const person = Command.make("person").pipe(
  Command.withDescription(
    "People who may sign in, with the settings of serve: on a Postgres while servers run, on the embedded one while none does"
  ),
  Command.withSubcommands([addPerson, listPeople, changeRole, removePerson, linkPerson])
)

const payment = {
  workspace: Flag.String("workspace").pipe(Flag.withDescription("The id of the workspace: ws_…")),
  amount: Flag.Finite("amount").pipe(Flag.withDescription("US dollars, with at most 6 decimals")),
  reference: Flag.String("reference").pipe(
    Flag.withDescription("Your name of the payment; the same one again changes nothing")
  )
}

const topUp = Command.make("top-up", payment, ({ amount, reference, workspace }) =>
  ending(async () => (await import("./billing/TopUp.ts")).run(process.env, workspace, { amountUsd: amount, reference }))
).pipe(Command.withDescription("Add to the balance of a workspace"))

const billing = Command.make("billing").pipe(
  Command.withDescription(
    "Balances of workspaces, with the settings of serve: on a Postgres while servers run, on the embedded one while none does"
  ),
  Command.withSubcommands([topUp])
)

const file = Argument.String("file").pipe(Argument.withDescription("JSON Lines of rows, plain or gzip"))
const resume = Flag.String("resume").pipe(
  Flag.withDescription("The id of an upload that was cut off: sends the rest of the file"),
  Flag.optional
)
const dataset = Flag.String("dataset").pipe(
  Flag.withDescription("Make a dataset of this name, and its first version of the rows"),
  Flag.optional
)
const remotely = "of the server at LIMBECK_URL (http://127.0.0.1:8080 by default), with the token LIMBECK_TOKEN"

const upload = Command.make("upload", { file, resume, dataset }, ({ dataset, file, resume }) => {
  const options = { file, resume: Option.getOrUndefined(resume), dataset: Option.getOrUndefined(dataset) }
  return ending(() => Remote.run(process.env, Upload.upload(options)))
}).pipe(Command.withDescription(`Send a file of rows to a workspace ${remotely}`))

const run = Argument.String("run").pipe(Argument.withDescription("The id of the run: run_…"))
const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Show each event as a line of JSON"),
  Flag.withDefault(false)
)

const watch = Command.make("watch", { run, json }, ({ json, run }) =>
  ending(() => Remote.run(process.env, Watch.watch(run, json)))
).pipe(Command.withDescription(`Follow a run until it ends, ${remotely}`))

const forwardTo = Flag.String("forward-to").pipe(Flag.withDescription("The URL of your receiver"))
const types = Flag.String("types").pipe(
  Flag.withDescription("Types of events, with commas between them; all by default"),
  Flag.withDefault("")
)

const listen = Command.make("listen", { forwardTo, types }, ({ forwardTo, types }) => {
  const options = { forwardTo, types: types.split(",").filter((type) => type !== ""), signal: Remote.stopped() }
  return ending(() => Remote.run(process.env, Listen.listen(options)))
}).pipe(Command.withDescription("Show deliveries and pass them on to a receiver, until it is stopped; in test mode"))

const webhooks = Command.make("webhooks").pipe(
  Command.withDescription(`Webhooks ${remotely}`),
  Command.withSubcommands([listen])
)

const limbeck = Command.make("limbeck").pipe(
  Command.withDescription("From captured model calls to a student that serves them"),
  Command.withSubcommands([serve, workspace, person, billing, upload, watch, webhooks])
)

const program = Command.run(limbeck, { version: version }).pipe(Effect.provide(NodeServices.layer))
// A wrong command was told on the terminal already.
process.exit(
  await Effect.runPromise(Effect.match(program, { onSuccess: () => process.exitCode ?? 0, onFailure: () => 2 }))
)
