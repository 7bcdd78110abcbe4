/** The life of a worker process, as data. `edges` lists the allowed moves by status and event. */
import * as Machine from "@limbeck/core/machine/Machine"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Data from "effect/Data"
import * as Result from "effect/Result"
import { Limits } from "../Limits.ts"

/** Only a `serving` process gets new connections. A `silent` one has left several pings unanswered. */
export type WorkerStatus = "starting" | "serving" | "silent" | "draining" | "gone"

/** How a process ended: one of the two is null. */
export interface WorkerExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface Worker extends Machine.Stateful<WorkerStatus> {
  readonly startedAt: Millis
  /** Pings since the last answer. */
  readonly unansweredPings: number
  /** Null while it lives. */
  readonly exit: WorkerExit | null
}

export type WorkerEvent = Data.TaggedEnum<{
  /** It accepts connections from now on. */
  Listened: {}
  /** A ping was due. */
  Pinged: {}
  Answered: {}
  /** It was told to drain and exit. */
  Retired: {}
  Exited: { readonly exit: WorkerExit }
}>
export const WorkerEvent = Data.taggedEnum<WorkerEvent>()

export const edges = {
  starting: {
    Listened: ["serving"],
    Pinged: ["starting"],
    Answered: ["starting"],
    Retired: ["draining"],
    Exited: ["gone"]
  },
  serving: { Pinged: ["serving", "silent"], Answered: ["serving"], Retired: ["draining"], Exited: ["gone"] },
  silent: { Pinged: ["silent"], Answered: ["serving"], Retired: ["draining"], Exited: ["gone"] },
  draining: {
    Listened: ["draining"],
    Pinged: ["draining"],
    Answered: ["draining"],
    Retired: ["draining"],
    Exited: ["gone"]
  },
  gone: {}
} as const satisfies Machine.Edges<WorkerStatus, WorkerEvent["_tag"]>

const listened = (worker: Worker): Worker =>
  worker.status === "starting" ? { ...worker, status: "serving", unansweredPings: 0 } : worker

const pinged = (worker: Worker): Worker => {
  const unansweredPings = worker.unansweredPings + 1
  const isSilent = worker.status === "serving" && unansweredPings > Limits.silentAfterPings
  return { ...worker, unansweredPings, status: isSilent ? "silent" : worker.status }
}

const answered = (worker: Worker): Worker => ({
  ...worker,
  unansweredPings: 0,
  status: worker.status === "silent" ? "serving" : worker.status
})

const apply = (worker: Worker, event: WorkerEvent): Worker => {
  switch (event._tag) {
    case "Listened":
      return listened(worker)
    case "Pinged":
      return pinged(worker)
    case "Answered":
      return answered(worker)
    case "Retired":
      return { ...worker, status: "draining" }
    case "Exited":
      return { ...worker, status: "gone", exit: event.exit }
  }
}

const machine = Machine.make<WorkerStatus, Worker, WorkerEvent>({ name: "worker process", edges, apply })

export const newWorker = (now: Millis): Worker => ({
  status: "starting",
  updatedAt: now,
  startedAt: now,
  unansweredPings: 0,
  exit: null
})

/** The process after the event. An event that the table does not know in its status changes nothing. */
export const after = (worker: Worker, event: WorkerEvent, now: Millis): Worker =>
  Result.getOrElse(machine.transition(worker, event, now), () => worker)

/** Whether the process has been silent beyond recovery. A starting process may load for longer. */
export const isHung = ({ status, unansweredPings }: Worker): boolean =>
  unansweredPings > (status === "starting" ? Limits.startHungAfterPings : Limits.hungAfterPings)

/** How long a place stays empty after its process ended: twice as long after each further short life. */
export const pauseMillis = (shortLives: number): number =>
  Math.min(Limits.restartMillisMax, Limits.restartMillis * 2 ** (shortLives - 1))
