/** `limbeck workspace`: makes, changes and lists the workspaces of a storage, with the settings of `limbeck serve`. */
import { WorkspaceId } from "@limbeck/core/ids/Id"
import { Limits } from "@limbeck/core/Limits"
import { firstPage } from "@limbeck/core/pages/Page"
import { type CreatedWorkspace, HostWorkspaces } from "@limbeck/core/workspaces/HostWorkspaces"
import * as Workspaces from "@limbeck/limbeck/Workspaces"
import { InvalidSetting } from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as DataDir from "../serve/DataDir.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"
import * as Settings from "../serve/Settings.ts"
import * as Storages from "../serve/Storages.ts"

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const lineOf = ({ id, name, plan }: CreatedWorkspace["workspace"]): string => `${id} ${plan} ${name}`

/** What a command does with the workspaces of the storage. */
type Action = (workspaces: HostWorkspaces["Service"]) => Effect.Effect<void, Error>

export const create =
  (name: string, plan: string | undefined): Action =>
  (workspaces) =>
    Effect.gen(function* () {
      const { liveToken, testToken, workspace } = yield* workspaces.create("owner", { name, plan })
      yield* say(lineOf(workspace))
      yield* say(`Live token (shown this once): ${liveToken}`)
      yield* say(`Test token (shown this once): ${testToken}`)
    })

export const update =
  (id: string, name: string | undefined, plan: string | undefined): Action =>
  (workspaces) =>
    Effect.gen(function* () {
      const workspace = yield* Schema.decodeUnknownEffect(WorkspaceId)(id)
      yield* say(lineOf(yield* workspaces.update("owner", workspace, { name, plan })))
    })

/** The newest first. */
export const list: Action = (workspaces) =>
  Effect.gen(function* () {
    let after: string | null = null
    let hasMore = true
    while (hasMore) {
      const page: Effect.Success<ReturnType<typeof workspaces.page>> = yield* workspaces.page({
        ...firstPage(Limits.pageMax),
        after
      })
      yield* Effect.forEach(page.items, (workspace) => say(lineOf(workspace)), { discard: true })
      hasMore = page.hasMore
      after = page.items.at(-1)?.id ?? null
    }
  })

const noStorage = new InvalidSetting({
  setting: "STORAGE",
  message: "memory keeps no workspaces; a host makes them in process, with `workspaces.create`"
})

const program = Effect.fnUntraced(function* (settings: Settings.Settings, action: Action) {
  if (settings.storage === "memory") return yield* noStorage
  yield* DataDir.prepare(settings)
  const services = Workspaces.layer(Storages.layer(settings))
  return yield* Effect.provide(Effect.flatMap(HostWorkspaces, action), services)
})

/** Returns the exit code of the process. */
export const run = async (environment: Environment, action: Action): Promise<number> => {
  const settings = Settings.fromEnvironment(environment, false)
  if (Result.isFailure(settings)) return Exits.ofWrongSetting(settings.failure)
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings.success, action), quiet))
  return Exits.of(exit, settings.success)
}
