/**
 * The doorbells of one process, and the wire between processes: one listening connection for all topics, and at most one
 * notification per topic and interval. A ring inside the process needs neither.
 */
import type * as PgClient from "@effect/sql-pg/PgClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Queue from "effect/Queue"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"

/** Above this rate notifications cost more than they help: each takes a lock that all commits share. */
const notifyEveryMillis = 50
/** How long after a lost listening connection the next one is tried. */
const reconnectMillis = 200

export interface Doorbells {
  /** Rings here at once, unless only `elsewhere`, and in every other process soon. Never waits for the database. */
  readonly ring: (topic: string, whom?: "everywhere" | "elsewhere") => Effect.Effect<void>
  /** Rings in every process, this one too, when the surrounding transaction commits. */
  readonly ringAtCommit: (topic: string) => Effect.Effect<void, SqlError>
  readonly open: (topic: string) => Effect.Effect<{ readonly await: Effect.Effect<void> }, never, Scope.Scope>
}

/** In place of an instance: everybody answers to it. */
const everybody = "*"

type Bell = Queue.Queue<void>

/** `instance` tells processes apart, so that none answers to its own notification. */
export const make = Effect.fnUntraced(function* (sql: PgClient.PgClient, channel: string, instance: string) {
  const scope = yield* Effect.scope
  const bells = new Map<string, Set<Bell>>()
  const notifiedAt = new Map<string, number>()
  const waiting = new Set<string>()
  const listening = Latch.makeUnsafe(false)

  const ringHere = (topic: string) => {
    for (const bell of bells.get(topic) ?? []) Queue.offerUnsafe(bell, undefined)
  }

  const notify = Effect.fnUntraced(
    function* (topic: string) {
      const now = yield* Clock.currentTimeMillis
      const rest = (notifiedAt.get(topic) ?? now - notifyEveryMillis) + notifyEveryMillis - now
      if (rest > 0) yield* Effect.sleep(rest)
      waiting.delete(topic)
      notifiedAt.set(topic, yield* Clock.currentTimeMillis)
      yield* sql.notify(channel, `${instance} ${topic}`)
    },
    (notifying) => Effect.ignore(notifying)
  )

  const ring: Doorbells["ring"] = (topic, whom) =>
    Effect.suspend(() => {
      if (whom !== "elsewhere") ringHere(topic)
      if (waiting.has(topic)) return Effect.void
      waiting.add(topic)
      return Effect.asVoid(Effect.forkIn(notify(topic), scope))
    })

  const ringAtCommit = (topic: string) => Effect.asVoid(sql`SELECT pg_notify(${channel}, ${`${everybody} ${topic}`})`)

  const hear = (payload: string) => {
    const end = payload.indexOf(" ")
    if (payload.slice(0, end) !== instance) ringHere(payload.slice(end + 1))
  }

  const listen = Effect.gen(function* () {
    const notifications = yield* sql.listen(channel)
    yield* listening.open
    // Rings from before the connection are lost, so ring every topic once.
    for (const topic of bells.keys()) ringHere(topic)
    return yield* Effect.forever(Effect.map(Queue.take(notifications), ({ payload }) => hear(payload)))
  }).pipe(
    Effect.scoped,
    // Nobody waits for an unreachable database: workers poll.
    Effect.tapError(() => listening.open),
    Effect.retry(Schedule.spaced(reconnectMillis)),
    Effect.ignore
  )

  /** The first bell opens the listening connection. */
  const start = yield* Effect.cached(Effect.forkIn(listen, scope))

  const open = Effect.fnUntraced(function* (topic: string) {
    const bell: Bell = yield* Effect.acquireRelease(Queue.sliding<void>(1), (bell) =>
      Effect.andThen(
        Effect.sync(() => bells.get(topic)?.delete(bell)),
        Queue.shutdown(bell)
      )
    )
    const ofTopic = bells.get(topic) ?? new Set()
    bells.set(topic, ofTopic.add(bell))
    yield* start
    yield* listening.await
    return { await: Queue.take(bell) }
  })

  const doorbells: Doorbells = { ring, ringAtCommit, open }
  return doorbells
})
