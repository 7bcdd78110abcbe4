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
import type { Output } from "../Output.ts"
import * as DataDir from "../serve/DataDir.ts"
import type { Environment } from "../serve/Environment.ts"
import * as Exits from "../serve/Exits.ts"
import * as Settings from "../serve/Settings.ts"
import * as Storages from "../serve/Storages.ts"

type WorkspaceView = CreatedWorkspace["workspace"]

const valueOf = ({ id, name, plan }: WorkspaceView) => ({ id, name, plan })

const lineOf = ({ id, name, plan }: WorkspaceView): string => `${id} ${plan} ${name}`

/** What a command does with the workspaces of the storage. */
type Action = (workspaces: HostWorkspaces["Service"], output: Output) => Effect.Effect<void, Error>

export const create =
  (name: string, plan: string | undefined): Action =>
  (workspaces, output) =>
    Effect.gen(function* () {
      const { liveToken, testToken, workspace } = yield* workspaces.create("owner", { name, plan })
      yield* Effect.sync(() =>
        output.result(
          { ...valueOf(workspace), live_token: liveToken, test_token: testToken },
          lineOf(workspace),
          `Live token (shown this once): ${liveToken}`,
          `Test token (shown this once): ${testToken}`
        )
      )
    })

export const update =
  (id: string, name: string | undefined, plan: string | undefined): Action =>
  (workspaces, output) =>
    Effect.gen(function* () {
      const workspace = yield* Schema.decodeUnknownEffect(WorkspaceId)(id)
      const updated = yield* workspaces.update("owner", workspace, { name, plan })
      yield* Effect.sync(() => output.result(valueOf(updated), lineOf(updated)))
    })

/** The newest first. */
export const list: Action = (workspaces, output) =>
  Effect.gen(function* () {
    let after: string | null = null
    let hasMore = true
    while (hasMore) {
      const page: Effect.Success<ReturnType<typeof workspaces.page>> = yield* workspaces.page({
        ...firstPage(Limits.pageMax),
        after
      })
      for (const workspace of page.items) output.result(valueOf(workspace), lineOf(workspace))
      hasMore = page.hasMore
      after = page.items.at(-1)?.id ?? null
    }
  })

const noStorage = new InvalidSetting({
  setting: "STORAGE",
  message: "memory keeps no workspaces; a host makes them in process, with `workspaces.create`"
})

const program = Effect.fnUntraced(function* (settings: Settings.Settings, output: Output, action: Action) {
  if (settings.storage === "memory") return yield* noStorage
  yield* DataDir.prepare(settings)
  const services = Workspaces.layer(Storages.ofCommand(settings))
  return yield* Effect.provide(
    Effect.flatMap(HostWorkspaces, (workspaces) => action(workspaces, output)),
    services
  )
})

/** Returns the exit code of the process. */
export const run = async (environment: Environment, output: Output, action: Action): Promise<number> => {
  const settings = Settings.fromEnvironment(environment, false)
  if (Result.isFailure(settings)) return Exits.ofWrongSetting(settings.failure)
  const quiet = Layer.succeed(References.MinimumLogLevel, "None")
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings.success, output, action), quiet))
  return Exits.of(exit, settings.success)
}
