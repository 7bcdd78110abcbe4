/** The channel from a worker process to its parent. A single process has a channel without a parent. */
import type { Socket } from "node:net"
import type { BootstrapResult } from "@limbeck/server/Bootstrap"
import * as Effect from "effect/Effect"
import * as Terminal from "../../terminal/Terminal.ts"
import * as Signals from "../Signals.ts"
import type { ParentMessage, WorkerMessage } from "./WorkerProcess.ts"

/** A server that accepts connections. */
export interface ServerStart {
  readonly url: string
  /** The first workspace, with the tokens that this start made. */
  readonly bootstrapped: BootstrapResult
}

export interface ParentChannel {
  /** Tells that connections are accepted from now on. */
  readonly listening: (started: ServerStart) => Effect.Effect<void>
  /** The metrics of all processes. `own` renders this process's metrics, also for requests of other processes. */
  readonly metrics: (own: Effect.Effect<string>) => Effect.Effect<string>
  /** `accept` runs for each connection that the parent passes on. */
  readonly onConnection: (accept: (socket: Socket) => void) => void
  /** `stop` runs when the parent says so, and when it dies; at once, if either happened before. */
  readonly onStop: (stop: () => void) => void
}

const showTokens = ({ bootstrapped: { liveToken, testToken } }: ServerStart): void => {
  if (liveToken !== null) Terminal.line(`Live token (shown this once): ${liveToken}`)
  if (testToken !== null) Terminal.line(`Test token (shown this once): ${testToken}`)
}

const send = (message: WorkerMessage): void => void process.send?.(message)

/** Requests for the page of all processes, and answers to requests for the page of this one. */
const makeMetrics = () => {
  const pending = new Map<number, (page: string) => void>()
  let requests = 0
  let own: Effect.Effect<string> = Effect.succeed("")
  return {
    receive: (request: number, page: string): void => {
      pending.get(request)?.(page)
      pending.delete(request)
    },
    requested: (request: number): void =>
      void Effect.runFork(Effect.map(own, (page) => send({ kind: "own_metrics", request, page }))),
    all: (page: Effect.Effect<string>): Effect.Effect<string> => {
      own = page
      return Effect.callback((resume) => {
        const request = ++requests
        pending.set(request, (whole) => resume(Effect.succeed(whole)))
        send({ kind: "all_metrics_requested", request })
      })
    }
  }
}

/** Opens the channel of this process, and answers pings from then on: before all that takes long to load. */
export const open = (): ParentChannel => {
  const metrics = makeMetrics()
  let accept: ((socket: Socket) => void) | undefined
  let stop: (() => void) | undefined
  let isStopRequested = false
  const requestStop = (): void => {
    isStopRequested = true
    stop?.()
  }

  const receive = (message: ParentMessage, socket: Socket | undefined): void => {
    if (message.kind === "ping") send({ kind: "pong" })
    else if (message.kind === "own_metrics_requested") metrics.requested(message.request)
    else if (message.kind === "all_metrics") metrics.receive(message.request, message.page)
    else if (message.kind === "stop") requestStop()
    else if (message.kind === "reload") Signals.reload()
    else {
      // Before anything is read of it: what this process has read is lost with it, and no other may read the rest.
      send({ kind: "connection_received", connection: message.connection })
      if (socket !== undefined) accept?.(socket)
    }
  }

  // The parent sends nothing else.
  process.on("message", (message, socket) => receive(message as ParentMessage, socket as Socket | undefined))
  process.once("disconnect", requestStop)
  return {
    listening: (started) =>
      Effect.sync(() => {
        showTokens(started)
        send({ kind: "listening" })
      }),
    metrics: metrics.all,
    onConnection: (take) => {
      accept = take
    },
    onStop: (run) => {
      stop = run
      if (isStopRequested) run()
    }
  }
}

export const alone: ParentChannel = {
  listening: (started) =>
    Effect.sync(() => {
      showTokens(started)
      Terminal.line(`Limbeck listens on ${started.url}`)
    }),
  metrics: (own) => own,
  onConnection: () => {},
  onStop: () => {}
}
