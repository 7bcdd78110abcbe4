/**
 * Passes each connection to a process: in turn, among those with the fewest unacknowledged connections. A connection stays open
 * here until its process acknowledges it, and goes to another if that process ends before. So it waits while no process serves.
 */
import type { Socket } from "node:net"
import { Limits } from "../Limits.ts"
import type { ParentMessage } from "./WorkerProcess.ts"

/** A process that takes connections. */
export interface Receiver {
  /** Connections sent to the process and not yet acknowledged. */
  readonly unacknowledged: Map<number, Socket>
  readonly send: (message: ParentMessage, socket: Socket) => void
}

/** `serving`: the processes that take connections now. */
export const make = (serving: () => ReadonlyArray<Receiver>) => {
  const waiting: Array<Socket> = []
  let turn = 0
  let connection = 0

  /** A hanging process acknowledges nothing, so it holds a single connection while others serve. */
  const next = (): Receiver | undefined => {
    const receivers = serving()
    const first = turn++ % Math.max(receivers.length, 1)
    const inTurn = [...receivers.slice(first), ...receivers.slice(0, first)]
    const fewest = Math.min(...inTurn.map(({ unacknowledged }) => unacknowledged.size))
    return inTurn.find(({ unacknowledged }) => unacknowledged.size === fewest)
  }

  const wait = (socket: Socket): void => {
    if (waiting.length < Limits.connectionsMax) waiting.push(socket)
    else socket.destroy()
  }

  const dispatch = (socket: Socket): void => {
    const receiver = next()
    if (receiver === undefined) wait(socket)
    else {
      receiver.unacknowledged.set(++connection, socket)
      receiver.send({ kind: "connection", connection }, socket)
    }
  }

  return {
    dispatch,
    /** Runs when a process begins to serve. */
    dispatchWaiting: (): void => {
      for (const socket of waiting.splice(0)) dispatch(socket)
    },
    /** The process reads the connection, whose copy here is closed. */
    acknowledge: ({ unacknowledged }: Receiver, connection: number): void => {
      unacknowledged.get(connection)?.destroy()
      unacknowledged.delete(connection)
    },
    /** Passes on what a process that ended has not acknowledged. */
    redispatch: ({ unacknowledged }: Receiver): void => {
      const sockets = [...unacknowledged.values()]
      unacknowledged.clear()
      for (const socket of sockets) dispatch(socket)
    }
  }
}
