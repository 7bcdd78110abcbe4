/** `limbeck person`: who may sign in to the pages of a server, with the settings of `limbeck serve`. */
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import * as People from "@limbeck/limbeck/People"
import * as ServerSettings from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import type { Output } from "../Output.ts"
import * as DataDir from "../serve/DataDir.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"
import * as Listener from "../serve/Listener.ts"
import * as Settings from "../serve/Settings.ts"
import * as Storages from "../serve/Storages.ts"

const lineOf = ({ email, id, name, roles }: People.Person): string =>
  [id, email ?? "-", ...roles.map(({ role, workspace }) => `${role}:${workspace}`), name].join(" ")

/** As the API spells members. */
const valueOf = ({ createdAt, email, id, name, roles }: People.Person) => ({
  id,
  email,
  name,
  roles,
  created_at: createdAt
})

const show = (output: Output, person: People.Person) =>
  Effect.sync(() => output.result(valueOf(person), lineOf(person)))

/** What a command does with the people of the storage. */
type Action = (output: Output) => Effect.Effect<void, Error, Layer.Success<ReturnType<typeof People.layer>>>

export const add =
  (email: string, workspace: string, role: Role, name: string | undefined): Action =>
  (output) =>
    Effect.flatMap(People.add({ email, workspace, role, ...(name === undefined ? {} : { name }) }), (added) =>
      show(output, added)
    )

/** The newest first. */
export const list =
  (workspace: string | undefined): Action =>
  (output) =>
    Effect.gen(function* () {
      const within = workspace === undefined ? {} : { workspace }
      let page: People.PersonPage = yield* People.list(within)
      while (true) {
        yield* Effect.forEach(page.people, (person) => show(output, person), { discard: true })
        const last = page.people.at(-1)
        if (!page.hasMore || last === undefined) return
        page = yield* People.list({ ...within, after: last.id })
      }
    })

const optionsOf = (keepTokens: boolean): People.TokenOptions => ({ tokens: keepTokens ? "keep" : "end" })

export const setRole =
  (person: string, workspace: string, role: Role | null, keepTokens: boolean): Action =>
  (output) =>
    Effect.flatMap(People.setRole(person, workspace, role, optionsOf(keepTokens)), (changed) => show(output, changed))

export const remove =
  (person: string, keepTokens: boolean): Action =>
  () =>
    People.remove(person, optionsOf(keepTokens))

export const link =
  (person: string): Action =>
  (output) =>
    Effect.map(People.link(person), ({ expiresAt, url }) =>
      output.result({ url, expires_at: expiresAt }, `Signs in once, until ${expiresAt}: ${url}`)
    )

const noStorage = new ServerSettings.InvalidSetting({
  setting: "STORAGE",
  message: "memory keeps no people; a host lets them in in process, with `people.add`"
})

const program = Effect.fnUntraced(function* (settings: Settings.Settings, output: Output, action: Action) {
  if (settings.storage === "memory") return yield* noStorage
  yield* DataDir.prepare(settings)
  const publicUrl = settings.publicUrl ?? Listener.urlOf(settings.host, settings.port)
  const given = ServerSettings.layer({ publicUrl })
  return yield* Effect.provide(action(output), Layer.merge(People.layer(Storages.ofCommand(settings)), given))
})

/** Returns the exit code of the process. */
export const run = async (environment: Environment, output: Output, action: Action): Promise<number> => {
  const settings = Settings.fromEnvironment(environment, false)
  if (Result.isFailure(settings)) return Exits.ofWrongSetting(settings.failure)
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings.success, output, action), quiet))
  return Exits.of(exit, settings.success)
}
