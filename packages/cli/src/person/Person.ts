/** `limbeck person`: who may sign in to the pages of a server, with the settings of `limbeck serve`. */
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import * as People from "@limbeck/limbeck/People"
import * as ServerSettings from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as DataDir from "../serve/DataDir.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"
import * as Listener from "../serve/Listener.ts"
import * as Settings from "../serve/Settings.ts"
import * as Storages from "../serve/Storages.ts"

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const lineOf = ({ email, id, name, roles }: People.Person): string =>
  [id, email ?? "-", ...roles.map(({ role, workspace }) => `${role}:${workspace}`), name].join(" ")

/** What a command does with the people of the storage. */
type Action = Effect.Effect<void, Error, Layer.Success<ReturnType<typeof People.layer>>>

export const add = (email: string, workspace: string, role: Role, name: string | undefined): Action =>
  Effect.gen(function* () {
    const named = name === undefined ? {} : { name }
    yield* say(lineOf(yield* People.add({ email, workspace, role, ...named })))
  })

/** The newest first. */
export const list = (workspace: string | undefined): Action =>
  Effect.gen(function* () {
    const within = workspace === undefined ? {} : { workspace }
    let page: People.PersonPage = yield* People.list(within)
    while (true) {
      yield* Effect.forEach(page.people, (person) => say(lineOf(person)), { discard: true })
      const last = page.people.at(-1)
      if (!page.hasMore || last === undefined) return
      page = yield* People.list({ ...within, after: last.id })
    }
  })

export const setRole = (person: string, workspace: string, role: Role | null): Action =>
  Effect.flatMap(People.setRole(person, workspace, role), (changed) => say(lineOf(changed)))

export const remove = (person: string): Action => People.remove(person)

export const link = (person: string): Action =>
  Effect.gen(function* () {
    const { expiresAt, url } = yield* People.link(person)
    yield* say(`Signs in once, until ${expiresAt}: ${url}`)
  })

const noStorage = new ServerSettings.InvalidSetting({
  setting: "STORAGE",
  message: "memory keeps no people; a host lets them in in process, with `people.add`"
})

const program = Effect.fnUntraced(function* (settings: Settings.Settings, action: Action) {
  if (settings.storage === "memory") return yield* noStorage
  yield* DataDir.prepare(settings)
  const publicUrl = settings.publicUrl ?? Listener.urlOf(settings.host, settings.port)
  const given = ServerSettings.layer({ publicUrl })
  return yield* Effect.provide(action, Layer.merge(People.layer(Storages.layer(settings)), given))
})

/** Returns the exit code of the process. */
export const run = async (environment: Environment, action: Action): Promise<number> => {
  const settings = Settings.fromEnvironment(environment, false)
  if (Result.isFailure(settings)) return Exits.ofWrongSetting(settings.failure)
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings.success, action), quiet))
  return Exits.of(exit, settings.success)
}
