/**
 * Hands connections to processes, to each in its turn. A connection stays open here until its process has said that it has it:
 * when that ends before, another gets the connection. Where no process answers, connections wait for one.
 */
import type { ChildProcess } from "node:child_process"
import type { Socket } from "node:net"
import { Limits } from "../Limits.ts"
import type { Told } from "./Member.ts"

export interface Taker {
  readonly child: ChildProcess
  /** Connections that it was sent, and has not said to have. */
  readonly handing: Map<number, Socket>
  /** Whether it is handed connections. */
  isOpen: boolean
}

export const make = (takers: () => ReadonlyArray<Taker>) => {
  const waiting: Array<Socket> = []
  let turn = 0
  let connection = 0

  const wait = (socket: Socket): void => {
    if (waiting.length < Limits.connectionsMax) waiting.push(socket)
    else socket.destroy()
  }

  const give = (socket: Socket): void => {
    const open = takers().filter(({ child, isOpen }) => isOpen && child.connected)
    const taker = open[turn++ % open.length]
    if (taker === undefined) wait(socket)
    else {
      taker.handing.set(++connection, socket)
      const told: Told = { kind: "a connection", connection }
      // What cannot be sent comes back with the end of the process.
      taker.child.send(told, socket, { keepOpen: true }, () => {})
    }
  }

  return {
    give,
    giveWaiting: (): void => {
      for (const socket of waiting.splice(0)) give(socket)
    },
    /** This process need not keep it open any longer. */
    taken: ({ handing }: Taker, connection: number): void => {
      handing.get(connection)?.destroy()
      handing.delete(connection)
    },
    /** Of one that has ended. */
    giveAgain: ({ handing }: Taker): void => {
      const left = [...handing.values()]
      handing.clear()
      for (const socket of left) give(socket)
    }
  }
}
