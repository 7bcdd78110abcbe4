// @effect-diagnostics globalTimers:off globalTimersInEffect:off
/**
 * Short reads of all fibers outside transactions. Reads requested in the same turn of the event loop share a packet, as do
 * reads requested while other packets are under way. Identical reads share one read until the packet leaves:
 *
 *     asked by fibers           sent                            packets
 *     A                         SELECT A                        1
 *     B, C, B (A is under way)  –
 *                               SELECT B, SELECT C              2
 *
 * Each packet has its own connection. Each read in a packet is its own transaction, so a refused read leaves the others
 * alone; reads in a packet wait for one another, so slow reads do not belong here. A shared read is sent after the last of
 * its callers has joined: every caller sees earlier commits.
 */
import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import type { PgConnection } from "@effect/sql-pg/PgConnection"
import { Patience } from "@limbeck/core/storage/Patience"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { SqlError } from "effect/sql/SqlError"
import { failure } from "./Bounded.ts"
import type { SqlStatement } from "./UnitOfWork.ts"
import { type Asker, answer, type Rows, type SharedRead, WaitingReads } from "./WaitingReads.ts"

/**
 * Lends a connection for the duration of the effect. An interrupted effect leaves an unread response: its connection is
 * given up.
 */
type Use = (f: (wire: PgConnection) => Effect.Effect<void>) => Effect.Effect<void, SqlError>

/** More reads than this do not wait for one another. */
const packetMax = 16
/** So many packets are under way before reads wait for company. */
const packetsMax = 2
/** Beyond this, a packet no longer holds other packets back. */
const slowMillis = 10

const rowsOf = ({ rows }: { readonly rows: Rows }) => rows

/** Sends all in one turn, and ends when each was answered. */
const carry = (wire: PgConnection, packet: ReadonlyArray<SharedRead>): Effect.Effect<void> =>
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

  const depart = (packet: ReadonlyArray<SharedRead>) => {
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

  /** Runs after this turn of the event loop, so that other fibers can join the packet. */
  const plan = () => {
    if (isPlanned || underWay >= packetsMax) return
    isPlanned = true
    setImmediate(() => {
      isPlanned = false
      send()
    })
  }

  const ask = (said: SqlStatement, millis: number): Effect.Effect<Rows, SqlError> =>
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
  return (said: SqlStatement): Effect.Effect<Rows, SqlError> => Effect.flatMap(Patience, (millis) => ask(said, millis))
}
