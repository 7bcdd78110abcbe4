/** `limbeck serve --processes N`, from start to end: the port, the embedded database, if any, and the processes. */
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Terminal from "../../terminal/Terminal.ts"
import * as DataDir from "../DataDir.ts"
import { afterReads } from "../Drain.ts"
import * as Embedded from "../Embedded.ts"
import * as Exits from "../Exits.ts"
import { Limits } from "../Limits.ts"
import { urlOf } from "../Listener.ts"
import * as Logging from "../Logging.ts"
import type { Settings } from "../Settings.ts"
import * as Signals from "../Signals.ts"
import * as ChildProcess from "./ChildProcess.ts"
import * as PortListener from "./PortListener.ts"
import * as WorkerRegistry from "./WorkerRegistry.ts"
import * as Workers from "./Workers.ts"

/** Replaces the processes, one after the other. */
const replaceSignal = "SIGUSR2"

const replaceOnSignal = Effect.fnUntraced(function* (workers: Workers.Workers) {
  const requests = yield* Queue.sliding<void>(1)
  process.on(replaceSignal, () => void Queue.offerUnsafe(requests, undefined))
  return yield* Effect.forever(Effect.andThen(Queue.take(requests), workers.replaceAll))
})

/** Serves until a signal stops it; the exit code. */
const program = Effect.fnUntraced(function* (settings: Settings, count: number) {
  let dispatch: WorkerRegistry.WorkerRegistry["dispatch"] = (socket) => void socket.destroy()
  const listener = yield* PortListener.open(settings, (socket) => dispatch(socket))
  yield* DataDir.prepare(settings)
  const embeddedUrl = settings.storage === "embedded" ? (yield* Embedded.launch(settings)).url : null
  const registry = yield* WorkerRegistry.make(ChildProcess.start({ of: count, embeddedUrl, port: listener.port }))
  const workers = Workers.make(registry, count)
  dispatch = registry.dispatch
  const stop = () =>
    afterReads(() => {
      listener.close()
      registry.stop()
    })
  Signals.onStop(stop, stop)
  if (settings.pricesFile !== null) Signals.onReload(registry.reload)
  yield* Effect.forkScoped(replaceOnSignal(workers))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(Limits.pingMillis), registry.ping)))
  return yield* workers.serve(
    Effect.sync(() => Terminal.line(`Limbeck listens on ${urlOf(settings.host, listener.port)}`))
  )
}, Effect.scoped)

export const run = async (settings: Settings, count: number): Promise<number> => {
  const exit = await Effect.runPromiseExit(Effect.provide(program(settings, count), Logging.layer(settings)))
  return exit._tag === "Success" ? exit.value : Exits.of(exit, settings)
}
