/** `limbeck up`: writes the settings of the folder if there are none, starts the server, and lets its first owner in. */
import { existsSync } from "node:fs"
import * as People from "@limbeck/limbeck/People"
import * as ServerSettings from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Result from "effect/Result"
import * as DotEnv from "../DotEnv.ts"
import * as Init from "../init/Init.ts"
import type { Output } from "../Output.ts"
import * as Exits from "../serve/Exits.ts"
import * as Keys from "../serve/Keys.ts"
import * as OneProcess from "../serve/OneProcess.ts"
import * as ParentChannel from "../serve/processes/ParentChannel.ts"
import * as Settings from "../serve/Settings.ts"
import * as Storages from "../serve/Storages.ts"
import * as Terminal from "../terminal/Terminal.ts"
import * as Browser from "./Browser.ts"

export interface UpOptions {
  /** Of the first owner. */
  readonly email: string
  readonly mayOpen: boolean
}

const read = () => Settings.fromEnvironment(process.env, process.stdout.isTTY === true)

/** Creates the owner of the first workspace if nobody has the address, and a link that signs them in. */
const signInLink = (settings: Settings.Settings, { bootstrapped, url }: ParentChannel.ServerStart, email: string) => {
  const publicUrl = settings.publicUrl ?? url
  const services = Layer.mergeAll(
    People.layer(Storages.ofCommand(settings)),
    ServerSettings.layer({ publicUrl }),
    Layer.succeed(References.MinimumLogLevel, "None")
  )
  return People.find(email).pipe(
    Effect.catchTag("NotFound", () => People.add({ email, workspace: bootstrapped.workspace, role: "owner" })),
    Effect.andThen(People.link(email)),
    Effect.provide(services)
  )
}

type Rows = ReadonlyArray<readonly [name: string, value: string | null, remark?: string]>

/** Two columns, without the rows that have no value. */
const tableOf = (rows: Rows): ReadonlyArray<string> => {
  const shown = rows.filter(([, value]) => value !== null)
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value, remark]) => `  ${name.padEnd(width)}  ${value}${remark ? `  (${remark})` : ""}`)
}

const present = (
  output: Output,
  settings: Settings.Settings,
  started: ParentChannel.ServerStart,
  link: People.Link | null
) => {
  const url = settings.publicUrl ?? started.url
  const liveToken = started.bootstrapped.liveToken ?? settings.liveToken
  const testToken = started.bootstrapped.testToken ?? settings.testToken
  const value = {
    url,
    proxy_url: `${url}/v1/proxy`,
    sign_in_url: link?.url ?? null,
    sign_in_expires_at: link?.expiresAt ?? null,
    live_token: liveToken,
    test_token: testToken
  }
  const rows: Rows = [
    ["dashboard", url],
    ["sign in", value.sign_in_url, `once, until ${value.sign_in_expires_at}`],
    ["proxy", value.proxy_url, "base URL of your OpenAI client"],
    ["test token", testToken],
    ["live token", liveToken]
  ]
  output.result(value, `Limbeck listens on ${started.url}; Ctrl-C stops it`, "", ...tableOf(rows), "")
}

const channelOf = (settings: Settings.Settings, output: Output, { email, mayOpen }: UpOptions) => ({
  ...ParentChannel.alone,
  listening: (started: ParentChannel.ServerStart) =>
    Effect.gen(function* () {
      const link = settings.storage === "memory" ? null : yield* signInLink(settings, started, email)
      present(output, settings, started, link)
      if (mayOpen && link !== null && process.stdout.isTTY) Browser.open(link.url, process.env)
    }).pipe(
      // The server serves without a link.
      Effect.catch((error) =>
        Effect.sync(() => {
          Terminal.failure({ code: null, lines: [`No sign-in link for ${email}: ${Exits.rootMessage(error)}`] })
          present(output, settings, started, null)
        })
      )
    )
})

/** Serves until a signal, and returns the exit code of the process. */
export const run = async (folder: string, output: Output, options: UpOptions): Promise<number> => {
  const before = read()
  if (Result.isFailure(before)) return Exits.ofWrongSetting(before.failure)
  const file = Init.fileIn(folder)
  if (!existsSync(file)) {
    await Init.writeDefaults(folder, Keys.isThere(before.success), process.env["PORT"])
    DotEnv.load()
    output.note(`${file} is written: settings, a key and tokens`)
  }
  const settings = read()
  if (Result.isFailure(settings)) return Exits.ofWrongSetting(settings.failure)
  // A server goes on without anybody who reads its log.
  Terminal.onReaderGone(() => {})
  return OneProcess.run(settings.success, null, channelOf(settings.success, output, options))
}
