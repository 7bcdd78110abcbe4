// @effect-diagnostics globalTimers:off globalTimersInEffect:off
/**
 * Short reads outside of transactions, of all fibers. Those that are asked in one turn of the event loop share a packet, and so
 * do those that are asked while others are under way. Those that ask the same share one read, until it is sent:
 *
 *     asked by fibers           sent                            packets
 *     A                         SELECT A                        1
 *     B, C, B (A is under way)  –
 *                               SELECT B, SELECT C              2
 *
 * A packet has one connection for itself. Each read in it is a transaction of its own, so one that is refused leaves the others
 * alone; but they wait for one another, so what may take long is none for here. A read is sent after each of those that share it
 * has asked: it sees what was committed before.
 */
import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Patience } from "@limbeck/core/storage/Patience"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlError } from "effect/sql/SqlError"
import { failure } from "./Bounded.ts"
import type { Said } from "./UnitOfWork.ts"
import { type Asker, answer, type Read, type Rows, WaitingReads } from "./WaitingReads.ts"

/** Takes a connection for as long as the effect lasts. An effect that is interrupted leaves an answer behind: its connection is given up. */
type Use = (f: (wire: PgConnection) => Effect.Effect<void>) => Effect.Effect<void, SqlError>

/** More reads than this do not wait for one another. */
const packetMax = 16
/** So many packets are under way before reads wait for company. */
const packetsMax = 2
/** A packet that takes longer keeps no others waiting. */
const slowMillis = 10

const rowsOf = ({ rows }: { readonly rows: Rows }) => rows

/** Sends all in one turn, and ends when each was answered. */
const carry = (wire: PgConnection, packet: ReadonlyArray<Read>): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let left = packet.length
    for (const read of packet) {
      Effect.runFork(wire.query(read.said[0], read.said[1])).addObserver((exit) => {
        answer(read, Exit.map(exit, rowsOf))
        left--
        if (left === 0) resume(Effect.void)
      })
    }
  })

export const make = (use: Use) => {
  const waiting = new WaitingReads()
  let underWay = 0
  let isPlanned = false

  const depart = (packet: ReadonlyArray<Read>) => {
    underWay++
    let counts = true
    const leave = () => {
      if (!counts) return
      counts = false
      underWay--
      send()
    }
    const slow = setTimeout(leave, slowMillis)
    const fiber = Effect.runFork(use((wire) => carry(wire, packet)))
    const refuse = (exit: Exit.Exit<never, SqlError>) => {
      for (const read of packet) answer(read, exit)
    }
    const giveUp = () => {
      refuse(Exit.fail(failure("A read of the same packet got no answer")))
      fiber.interruptUnsafe()
    }
    for (const read of packet) read.giveUp = giveUp
    fiber.addObserver((exit) => {
      clearTimeout(slow)
      if (Exit.isFailure(exit)) refuse(Exit.failCause(exit.cause))
      leave()
    })
  }

  const send = () => {
    while (underWay < packetsMax && !waiting.isEmpty) {
      const packet = waiting.take(packetMax)
      if (packet.length > 0) depart(packet)
    }
  }

  /** After this turn of the event loop, in which others may ask too. */
  const plan = () => {
    if (isPlanned || underWay >= packetsMax) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      send()
    })
  }

  const ask = (said: Said, millis: number): Effect.Effect<Rows, SqlError> =>
    Effect.callback((resume) => {
      const timer = setTimeout(() => {
        asker.answer(Exit.fail(failure(`Postgres did not answer within ${millis} ms`)))
        read.giveUp()
      }, millis)
      const asker: Asker = {
        answer: (exit) => {
          if (asker.isOver) return
          asker.isOver = true
          clearTimeout(timer)
          resume(exit)
        },
        isOver: false
      }
      const read = waiting.add(said, asker)
      plan()
      return Effect.sync(() => {
        asker.isOver = true
        clearTimeout(timer)
      })
    })

  /** The rows of a read that finds a few by an index, within `Patience`. */
  return (said: Said): Effect.Effect<Rows, SqlError> => Effect.flatMap(Patience, (millis) => ask(said, millis))
}
