/** The standalone server in this process: everything on, settings by environment. */

import { Recorder } from "@limbeck/capture/journal/Recorder"
import * as Dashboard from "@limbeck/dashboard"
import * as StubExecutor from "@limbeck/executors/StubExecutor"
import * as Assembly from "@limbeck/limbeck/Assembly"
import { executorsWith } from "@limbeck/limbeck/Assembly"
import * as Bootstrap from "@limbeck/server/Bootstrap"
import * as KeyProbe from "@limbeck/server/KeyProbe"
import * as Mounts from "@limbeck/server/Mounts"
import * as Server from "@limbeck/server/Server"
import * as StorageProbe from "@limbeck/server/StorageProbe"
import * as Unreadable from "@limbeck/server/Unreadable"
import { Serving } from "@limbeck/serving/answer/Serving"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as Catalogs from "./Catalogs.ts"
import * as DataDir from "./DataDir.ts"
import * as Exits from "./Exits.ts"
import * as Keys from "./Keys.ts"
import { Limits } from "./Limits.ts"
import * as Listener from "./Listener.ts"
import * as Logging from "./Logging.ts"
import * as Metrics from "./Metrics.ts"
import * as OwnPorts from "./OwnPorts.ts"
import * as Prices from "./Prices.ts"
import type { ParentChannel } from "./processes/ParentChannel.ts"
import type { WorkerProcess } from "./processes/WorkerProcess.ts"
import type * as Settings from "./Settings.ts"
import * as Signals from "./Signals.ts"
import * as StartGarbage from "./StartGarbage.ts"
import * as StaticEmbeddings from "./StaticEmbeddings.ts"
import * as Storages from "./Storages.ts"
import * as StudentServers from "./StudentServers.ts"
import * as Trainers from "./Trainers.ts"

/** Who trains language models; builtin students are trained here in any case. */
const executorsOf = Effect.fnUntraced(function* (
  settings: Settings.Settings,
  port: number,
  { catalog, embeddings }: Pick<Assembly.AssemblyOptions, "catalog" | "embeddings">
) {
  const tables = embeddings === undefined ? {} : { embeddings }
  if (settings.executor === "stub") return executorsWith(StubExecutor.make({ pace: "40 millis" }), tables)
  const { trainerCommand, trainerRehearses } = settings
  return trainerCommand === null
    ? executorsWith(null, tables)
    : executorsWith(yield* Trainers.executor(settings, trainerCommand, port, catalog), {
        ...tables,
        rehearses: trainerRehearses
      })
})

const serve = (settings: Settings.Settings, listener: Listener.Listener, url: string, channel: ParentChannel) =>
  Effect.gen(function* () {
    const { liveToken, testToken } = settings
    yield* KeyProbe.check
    if (settings.trainerCommand !== null) yield* Effect.forkScoped(Trainers.reap(settings))
    const bootstrapped = yield* Bootstrap.run({ liveToken, testToken })
    const { app, endStreams } = yield* Server.make
    const handler = yield* Mounts.node(app)
    const recorder = yield* Recorder
    const figures = Effect.all(
      {
        capture: recorder.figures,
        shadows: (yield* Serving).shadows,
        storage: yield* StorageProbe.make,
        oldestDueMillis: yield* StorageProbe.makeOldestDue
      },
      { concurrency: "unbounded" }
    )
    const readable = Dashboard.dashboard(handler)
    if (settings.telemetry !== null) yield* Effect.forkScoped(Metrics.follow(figures))
    const counted = settings.metrics || settings.telemetry !== null ? Metrics.counting(readable) : readable
    const measured = settings.metrics ? Metrics.wrap(counted, figures, channel.metrics, app.responseHeaders) : counted
    const refusing = { refuse: yield* Unreadable.make, full: yield* Mounts.full(app) }
    yield* listener.serve({ answer: measured, ...refusing, cutting: recorder.cut })
    yield* channel.listening({ url, bootstrapped })
    yield* Effect.forkScoped(StartGarbage.collectOnceIdle(StartGarbage.loadMeter(), StartGarbage.collect))
    // Drained before the scope closes, which interrupts the handlers of requests.
    return yield* Effect.ensuring(Effect.never, Effect.andThen(endStreams, listener.stop))
  }).pipe(
    // A scope of its own, which closes before workers and storage do.
    Effect.scoped
  )

/** Opened by a second signal: requests under way are no longer waited for. */
const hurry = Latch.makeUnsafe(false)

/** Opened by the first signal. */
const stopping = Latch.makeUnsafe(false)

/** Ends when a stop exceeds its time: leases and journals cover the unfinished rest. */
const overdue = Effect.gen(function* () {
  yield* stopping.await
  yield* Effect.sleep(Limits.stopMillisMax)
  yield* Effect.logWarning("stop_overdue", { millis: Limits.stopMillisMax })
})

const program = Effect.fnUntraced(function* (
  settings: Settings.Settings,
  worker: WorkerProcess | null,
  channel: ParentChannel
) {
  const opened =
    worker === null
      ? Listener.listen(settings, hurry.await)
      : Listener.takeConnections({ ...settings, port: worker.port }, hurry.await, channel.onConnection)
  const listener = yield* Effect.acquireRelease(opened, ({ stop }) => stop)
  const url = Listener.urlOf(settings.host, listener.port)
  const { egressAllow, journalDir, publicUrl } = settings
  const catalog = yield* Catalogs.load(settings)
  const prices = yield* Prices.open(settings)
  const embeddings = yield* StaticEmbeddings.load(settings)
  const offered = {
    ...(catalog === undefined ? {} : { catalog }),
    ...(embeddings === undefined ? {} : { embeddings })
  }
  yield* DataDir.prepare(settings)
  const services = Assembly.layer({
    storage: Storages.layer(settings, worker),
    ...(settings.blobsDir === null ? {} : { blobs: { directory: settings.blobsDir } }),
    encryptionKeys: yield* Keys.load(settings),
    executors: yield* executorsOf(settings, listener.port, offered),
    ...StudentServers.options(settings),
    settings: { ...settings.server, publicUrl: publicUrl ?? url },
    egressAllow,
    portHolder: OwnPorts.holderOf(settings, listener.port),
    ...(settings.telemetry === null ? {} : { telemetry: settings.telemetry }),
    ...(journalDir === null ? {} : { journal: { directory: journalDir } }),
    ...offered,
    ...(prices === undefined ? {} : { prices })
  })
  return yield* Effect.provide(serve(settings, listener, url, channel), services)
}, Effect.scoped)

/** Serves until a signal stops it, and returns the exit code of the process. `worker`: null for a process that is alone. */
export const run = async (
  settings: Settings.Settings,
  worker: WorkerProcess | null,
  channel: ParentChannel
): Promise<number> => {
  const logging = Logging.layer(settings)
  const fiber = Effect.runFork(Effect.provide(program(settings, worker, channel), logging))
  const stop = Signals.onStop(
    () => {
      stopping.openUnsafe()
      fiber.interruptUnsafe()
    },
    () => hurry.openUnsafe()
  )
  channel.onStop(stop)
  const late = Effect.provide(Effect.as(overdue, Exit.interrupt()), logging)
  return Exits.of(await Effect.runPromise(Effect.raceFirst(Fiber.await(fiber), late)), settings)
}
