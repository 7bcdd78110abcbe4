/**
 * The standalone server as an Effect program of your own: settings by environment, the storage that they choose, and the dashboard
 * at `/`. `limbeck serve` has all of docs/configuration.md: trainers, metrics, telemetry and several processes, too.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as DataDir from "@limbeck/cli/serve/DataDir"
import * as Exits from "@limbeck/cli/serve/Exits"
import * as Keys from "@limbeck/cli/serve/Keys"
import * as Settings from "@limbeck/cli/serve/Settings"
import * as Storages from "@limbeck/cli/serve/Storages"
import * as Dashboard from "@limbeck/dashboard"
import * as Assembly from "@limbeck/limbeck/Assembly"
import * as Bootstrap from "@limbeck/server/Bootstrap"
import * as Mounts from "@limbeck/server/Mounts"
import * as Server from "@limbeck/server/Server"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const read = Settings.fromEnvironment(process.env, process.stdout.isTTY === true)
if (Result.isFailure(read)) process.exit(Exits.ofWrongSetting(read.failure))
const { egressAllow, host, journalDir, liveToken, port, publicUrl, server: given, testToken } = read.success
const say = (line: string) => process.stdout.write(`${line}\n`)

const serve = Effect.gen(function* () {
  const tokens = yield* Bootstrap.run({ liveToken, testToken })
  const { app, endStreams } = yield* Server.make
  const server = createServer(Dashboard.dashboard(yield* Mounts.node(app))).listen(port, host)
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      endStreams,
      Effect.sync(() => server.close())
    )
  )
  server.once("listening", () => {
    const { port } = server.address() as AddressInfo // It listens on a port.
    say(`Limbeck listens on http://${host}:${port}`)
    if (tokens.liveToken !== null) say(`Sign in there with the live token (shown this once): ${tokens.liveToken}`)
    if (tokens.testToken !== null) say(`Test token (shown this once): ${tokens.testToken}`)
  })
  return yield* Effect.never
}).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  yield* DataDir.prepare(read.success)
  const services = Assembly.layer({
    storage: Storages.layer(read.success),
    encryptionKeys: yield* Keys.load(read.success),
    settings: { ...given, publicUrl: publicUrl ?? `http://${host}:${port}` },
    egressAllow,
    ...(journalDir === null ? {} : { journal: { directory: journalDir } })
  })
  return yield* Effect.provide(serve, services)
})

NodeRuntime.runMain(program)
