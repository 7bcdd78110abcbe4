/** Commands for the people who may sign in, with the settings of a server. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { ending } from "./Command.ts"

const people = () => import("../person/Person.ts")

const email = Argument.String("email").pipe(Argument.withDescription("The e-mail address of the person"))
const who = Argument.String("person").pipe(Argument.withDescription("An e-mail address, or an id: usr_…"))
const within = Flag.String("workspace").pipe(Flag.withDescription("The id of the workspace: ws_…"))
const mayBe = "an owner may do all, a member all but what is for people, a viewer reads"
const personName = Flag.optional(
  Flag.String("name").pipe(Flag.withDescription("What others call them; by default the e-mail address"))
)

const keepTokens = Flag.Boolean("keep-tokens").pipe(
  Flag.withDescription("Tokens that end with the role stay, and are the operator's"),
  Flag.withDefault(false)
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
    ending(async (output) => {
      const Person = await people()
      return Person.run(process.env, output, Person.add(email, workspace, role, Option.getOrUndefined(name)))
    })
).pipe(Command.withDescription("Give somebody a role in a workspace; link lets them in"))

const listPeople = Command.make("list", { workspace: Flag.optional(within) }, ({ workspace }) =>
  ending(async (output) => {
    const Person = await people()
    return Person.run(process.env, output, Person.list(Option.getOrUndefined(workspace)))
  })
).pipe(Command.withDescription("Show id, e-mail address, roles and name of everybody, the newest first"))

const changeRole = Command.make(
  "role",
  {
    person: who,
    workspace: within,
    role: Flag.Literals("role", ["owner", "member", "viewer", "none"]).pipe(
      Flag.withDescription(`In the workspace: ${mayBe}; none takes the role away`)
    ),
    keepTokens
  },
  ({ keepTokens, person, role, workspace }) =>
    ending(async (output) => {
      const Person = await people()
      const change = Person.setRole(person, workspace, role === "none" ? null : role, keepTokens)
      return Person.run(process.env, output, change)
    })
).pipe(Command.withDescription("Change somebody's role in a workspace"))

const removePerson = Command.make("remove", { person: who, keepTokens }, ({ keepTokens, person }) =>
  ending(async (output) => {
    const Person = await people()
    return Person.run(process.env, output, Person.remove(person, keepTokens))
  })
).pipe(Command.withDescription("Remove a person; their sessions and the tokens that they made end at once"))

const linkPerson = Command.make("link", { person: who }, ({ person }) =>
  ending(async (output) => {
    const Person = await people()
    return Person.run(process.env, output, Person.link(person))
  })
).pipe(Command.withDescription("Make a link that signs a person in once, within a quarter of an hour"))

export const person = Command.make("person").pipe(
  Command.withDescription("People who may sign in, with the settings of serve; also while servers run"),
  Command.withSubcommands([addPerson, listPeople, changeRole, removePerson, linkPerson])
)
