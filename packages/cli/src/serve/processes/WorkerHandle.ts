/** A worker process as its parent follows it, from its start to its end. */
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Deferred from "effect/Deferred"
import type { ChildProcess } from "./ChildProcess.ts"
import type { Receiver } from "./ConnectionDispatcher.ts"
import * as WorkerMachine from "./WorkerMachine.ts"

export interface WorkerHandle extends Receiver {
  readonly number: number
  readonly child: ChildProcess
  /** True as soon as it listens; false where it ended before. */
  readonly listening: Deferred.Deferred<boolean>
  readonly ended: Deferred.Deferred<WorkerMachine.WorkerExit>
  state: WorkerMachine.Worker
}

/** The handle of a new process. */
export const make = (number: number, child: ChildProcess, now: Millis): WorkerHandle => ({
  number,
  child,
  send: child.send,
  unacknowledged: new Map(),
  listening: Deferred.makeUnsafe(),
  ended: Deferred.makeUnsafe(),
  state: WorkerMachine.newWorker(now)
})
