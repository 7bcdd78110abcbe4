/** Queue: work items under leases, and doorbells. A bell rings in its own process; workers of others look by themselves. */
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import { type Claim, type ClaimTurns, LeaseLost, type Outcome, Queue, type Work } from "@limbeck/core/queue/Queue"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Schema from "effect/Schema"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { type Sql, sql } from "../sqlite/Sql.ts"
import * as Leases from "./Leases.ts"

const Item = Schema.Struct({ id: Schema.Int, partition: Schema.String, subject: Schema.String })
const Next = Schema.Struct({ at: Schema.NullOr(Millis) })

const item = (topic: string, partition: Partition, subject: string): Sql =>
  sql`topic = ${topic} AND partition = ${partition.key} AND subject = ${subject}`

const heldBy = ({ lease, partition, subject, topic }: Work): Sql =>
  sql`${item(topic, partition, subject)} AND lease = ${lease}`

const extend = (work: Work, until: Millis): Sql => sql`UPDATE work SET ready_at = ${until} WHERE ${heldBy(work)}`
const settle = (work: Work): Sql => sql`DELETE FROM work WHERE ${heldBy(work)}`
const release = (work: Work, dueAt: Millis): Sql =>
  sql`UPDATE work SET ready_at = ${dueAt}, lease = NULL WHERE ${heldBy(work)}`
/** Changes nothing, and tells whether it could: nobody else writes before the commit. */
const guard = (work: Work): Sql => sql`UPDATE work SET lease = lease WHERE ${heldBy(work)}`

const conclusion = ({ next, work }: Outcome): Sql => {
  if (next === "held") return guard(work)
  return next === "done" ? settle(work) : release(work, next)
}

const workspace = sql`substr(partition, 1, instr(partition, '.') - 1)`

/** By the port's rule: workspaces with the fewest items first, while each has no more than the free rest. */
const inTurns = (items: Sql, limit: number, { behind, free, held }: ClaimTurns): Sql => {
  const counts = sql`SELECT value ->> 0 AS owner, value ->> 1 AS held FROM json_each(${JSON.stringify([...held])})`
  const turns = sql`partition <= ${behind}, partition`
  return sql`
    WITH items AS (
      SELECT *, ${workspace} AS owner, row_number() OVER (PARTITION BY partition ORDER BY ready_at, id) AS nth
      FROM (${items})
    ), loaded AS (
      SELECT items.*, coalesce(held, 0) + row_number() OVER (PARTITION BY owner ORDER BY nth, ${turns}) AS load
      FROM items LEFT JOIN (${counts}) USING (owner)
    ), placed AS (SELECT *, row_number() OVER (ORDER BY load, ${turns}) AS place FROM loaded)
    SELECT id, partition, subject FROM placed WHERE load <= ${free} - (place - 1) ORDER BY place LIMIT ${limit}`
}

const due = ({ limit, now, topic, turns }: Claim): Sql => {
  const items = sql`SELECT id, partition, subject, ready_at FROM work WHERE topic = ${topic} AND ready_at <= ${now}`
  return turns === undefined ? sql`${items} ORDER BY ready_at, id LIMIT ${limit}` : inTurns(items, limit, turns)
}

/** The order of the turns: each partition's items together. */
const byPartition = (works: ReadonlyArray<Work>, behind: string): ReadonlyArray<Work> => {
  const groups = [...Map.groupBy(works, ({ partition }) => partition.key)].toSorted(
    ([a], [b]) => Number(a <= behind) - Number(b <= behind) || (a < b ? -1 : 1)
  )
  return groups.flatMap(([, group]) => group)
}

const claim = (connection: Connection, options: Claim): ReadonlyArray<Work> => {
  const works = connection.all(Item, due(options)).map(({ id, partition, subject }) => {
    const lease = Leases.next(connection)
    connection.run(sql`UPDATE work SET lease = ${lease}, ready_at = ${options.leaseUntil} WHERE id = ${id}`)
    return { partition: fromKey(partition), topic: options.topic, subject, lease }
  })
  return options.turns === undefined ? works : byPartition(works, options.turns.behind)
}

const makeItems = (db: Database) => {
  /** A write under a lease changes its item, or the lease is lost. */
  const fenced = (operation: string, work: Work, write: Sql) =>
    Effect.flatMap(
      db.write(operation, (connection) => connection.run(write)),
      (changes) =>
        changes === 1 ? Effect.void : Effect.fail(new LeaseLost({ topic: work.topic, subject: work.subject }))
    )

  return {
    offer: (partition: Partition, topic: string, subject: string, dueAt: Millis) =>
      db.write("Queue.offer", (connection) => {
        connection.run(sql`
          INSERT INTO work (topic, partition, subject, ready_at)
          VALUES (${topic}, ${partition.key}, ${subject}, ${dueAt})
          ON CONFLICT DO UPDATE SET ready_at = excluded.ready_at, lease = NULL`)
      }),
    claim: (options: Claim) => db.write("Queue.claim", (connection) => claim(connection, options)),
    extend: (work: Work, leaseUntil: Millis) => fenced("Queue.extend", work, extend(work, leaseUntil)),
    guard: (work: Work) => fenced("Queue.guard", work, guard(work)),
    settle: (work: Work) => fenced("Queue.settle", work, settle(work)),
    release: (work: Work, dueAt: Millis) => fenced("Queue.release", work, release(work, dueAt)),
    conclude: (outcomes: ReadonlyArray<Outcome>) =>
      db.write("Queue.conclude", (connection) =>
        outcomes.filter((outcome) => connection.run(conclusion(outcome)) === 0).map(({ work }) => work)
      ),
    withdraw: (partition: Partition, topic: string, subject: string) =>
      db.write("Queue.withdraw", (connection) => {
        connection.run(sql`DELETE FROM work WHERE ${item(topic, partition, subject)}`)
      }),
    pullForward: (topic: string, to: { readonly now: Millis; readonly latest: Millis; readonly leaseUntil: Millis }) =>
      db.write("Queue.pullForward", (connection) =>
        connection.run(sql`
          UPDATE work SET ready_at = iif(lease IS NULL, ${to.now}, ${to.leaseUntil})
          WHERE topic = ${topic} AND ready_at > ${to.latest}`)
      ),
    nextDueAt: (topic: string, except: ReadonlyArray<string> = []) =>
      db.read("Queue.nextDueAt", (connection) => {
        const others = sql`topic = ${topic} AND ${workspace} NOT IN (SELECT value FROM json_each(${JSON.stringify(except)}))`
        return connection.first(Next, sql`SELECT min(ready_at) AS at FROM work WHERE ${others}`)?.at ?? null
      })
  }
}

const makeBells = (db: Database) => {
  const bells = new Map<string, Set<Latch.Latch>>()

  const hang = (topic: string) =>
    Effect.sync(() => {
      const bell = Latch.makeUnsafe(false)
      bells.set(topic, (bells.get(topic) ?? new Set()).add(bell))
      return bell
    })

  return {
    // A file tells other processes nothing: they look by themselves.
    nudge: (topic: string, whom?: "everywhere" | "elsewhere") =>
      whom === "elsewhere"
        ? Effect.void
        : db.afterCommit(
            Effect.suspend(() => Effect.forEach(bells.get(topic) ?? [], (bell) => bell.open, { discard: true }))
          ),
    doorbell: (topic: string) =>
      Effect.map(
        Effect.acquireRelease(hang(topic), (bell) => Effect.sync(() => bells.get(topic)?.delete(bell))),
        (bell) => ({ await: Effect.andThen(bell.await, bell.close) })
      )
  }
}

export const make = (db: Database): Queue["Service"] => Queue.of({ ...makeItems(db), ...makeBells(db) })
