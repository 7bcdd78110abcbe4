/** The worker processes that live: each is started here, gets pings and connections, and is followed to its end. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { afterReads } from "../Drain.ts"
import type * as ChildProcess from "./ChildProcess.ts"
import * as ConnectionDispatcher from "./ConnectionDispatcher.ts"
import { ping } from "./Liveness.ts"
import * as MetricsCollector from "./MetricsCollector.ts"
import { statusFamily } from "./MetricsPages.ts"
import type { WorkerHandle } from "./WorkerHandle.ts"
import * as Handle from "./WorkerHandle.ts"
import * as WorkerMachine from "./WorkerMachine.ts"
import type { WorkerMessage } from "./WorkerProcess.ts"

const { WorkerEvent } = WorkerMachine

/** The parent's exit code after a process's exit. */
export const exitCodeOf = ({ code }: WorkerMachine.WorkerExit): number => code ?? 1

export type WorkerRegistry = Effect.Success<ReturnType<typeof make>>

const servingOf = (living: Iterable<WorkerHandle>): ReadonlyArray<WorkerHandle> =>
  [...living].filter(({ state }) => state.status === "serving")

/** The metrics of the processes that serve, and the number of processes in each status. */
const metricsOf = (
  collector: MetricsCollector.MetricsCollector,
  living: Iterable<WorkerHandle>
): Effect.Effect<string> => {
  const sources = servingOf(living).map(({ child, number }) => ({
    number,
    request: (request: number) => child.send({ kind: "own_metrics_requested", request })
  }))
  const statuses = () => [...living].map(({ state }) => state.status)
  return Effect.map(collector.page(sources), (page) => page + statusFamily(statuses()))
}

export const make = Effect.fnUntraced(function* (startChild: ChildProcess.Start) {
  const clock = yield* Clock.Clock
  const living = new Set<WorkerHandle>()
  const metrics = MetricsCollector.make()
  const stopping = Latch.makeUnsafe(false)
  const connections = ConnectionDispatcher.make(() => servingOf(living))
  let isStopping = false
  let worstExitCode = 0

  const apply = (handle: WorkerHandle, event: WorkerMachine.WorkerEvent): void => {
    const before = handle.state.status
    handle.state = WorkerMachine.after(handle.state, event, clock.currentTimeMillisUnsafe())
    if (handle.state.status === "serving" && before !== "serving") connections.dispatchWaiting()
  }

  const receive = (handle: WorkerHandle, message: WorkerMessage): void => {
    if (message.kind === "pong") apply(handle, WorkerEvent.Answered())
    else if (message.kind === "connection_received") connections.acknowledge(handle, message.connection)
    else if (message.kind === "own_metrics") metrics.receive(handle.number, message.request, message.page)
    else if (message.kind === "listening") {
      apply(handle, WorkerEvent.Listened())
      Deferred.doneUnsafe(handle.listening, Effect.succeed(true))
    } else {
      const { request } = message
      const send = (page: string) => handle.child.send({ kind: "all_metrics", request, page })
      Effect.runFork(Effect.map(metricsOf(metrics, living), send))
    }
  }

  const end = (handle: WorkerHandle, exit: WorkerMachine.WorkerExit): void => {
    living.delete(handle)
    apply(handle, WorkerEvent.Exited({ exit }))
    if (isStopping) worstExitCode = Math.max(worstExitCode, exitCodeOf(exit))
    Deferred.doneUnsafe(handle.listening, Effect.succeed(false))
    Deferred.doneUnsafe(handle.ended, Effect.succeed(exit))
    // Its last messages are read first. Node has no `disconnect` event while a socket is on its way.
    afterReads(() => connections.redispatch(handle))
  }

  /** Starts a process for a place. The process gets connections when it listens. */
  const start = (number: number): WorkerHandle => {
    const child = startChild(number, {
      onMessage: (message) => receive(handle, message),
      onExit: (exit) => end(handle, exit)
    })
    const handle = Handle.make(number, child, clock.currentTimeMillisUnsafe())
    living.add(handle)
    return handle
  }

  /** Stops new connections to the process, which exits after its last response. */
  const retire = (handle: WorkerHandle): void => {
    apply(handle, WorkerEvent.Retired())
    handle.child.send({ kind: "stop" })
  }

  return {
    start,
    retire,
    dispatch: connections.dispatch,
    /** Pings all processes. Runs once a second. */
    ping: Effect.suspend(() => Effect.forEach([...living], (handle) => ping(handle, apply), { discard: true })),
    /** Has all processes read again what they read on SIGHUP. */
    reload: (): void => {
      for (const handle of living) handle.child.send({ kind: "reload" })
    },
    isStopping: (): boolean => isStopping,
    stopping: stopping.await,
    /** Has all processes drain and exit. A second call ends their drains. */
    stop: (): void => {
      isStopping = true
      stopping.openUnsafe()
      for (const handle of living) retire(handle)
    },
    /** After a stop: the worst exit code, when all processes have ended. */
    ended: Effect.suspend(() =>
      Effect.map(
        Effect.forEach([...living], ({ ended }) => Deferred.await(ended), { discard: true }),
        () => worstExitCode
      )
    )
  }
})
