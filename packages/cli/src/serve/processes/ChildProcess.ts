/** A worker process from its parent's view: started by `fork`, with a channel for messages and sockets. */
import { fork } from "node:child_process"
import type { Socket } from "node:net"
import type { WorkerExit } from "./WorkerMachine.ts"
import { type ParentMessage, variables, type WorkerMessage, type WorkerProcess } from "./WorkerProcess.ts"

export interface ChildProcess {
  /** Does nothing once the process has ended. */
  readonly send: (message: ParentMessage, socket?: Socket) => void
  readonly kill: () => void
}

export interface ChildEvents {
  readonly onMessage: (message: WorkerMessage) => void
  readonly onExit: (exit: WorkerExit) => void
}

/** Starts a process for a place. */
export type Start = (number: number, events: ChildEvents) => ChildProcess

export const start =
  (common: Omit<WorkerProcess, "number">): Start =>
  (number, { onExit, onMessage }) => {
    const child = fork(process.argv[1] ?? "", ["serve"], {
      env: { ...process.env, ...variables({ ...common, number }) }
    })
    // Worker processes send nothing else.
    child.on("message", (message) => onMessage(message as WorkerMessage))
    // A failed message to an ended process: `exit` follows.
    child.on("error", () => {})
    child.once("exit", (code, signal) => onExit({ code, signal }))
    return {
      send: (message, socket) => {
        // The parent's copy of the socket stays open until its acknowledgement.
        if (child.connected) child.send(message, socket, { keepOpen: true }, () => {})
      },
      kill: () => void child.kill("SIGKILL")
    }
  }
