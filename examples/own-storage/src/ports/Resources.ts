/** ResourceStore: resources of all kinds in one table, with their labels; and CredentialStore, which finds tokens there. */
import * as Page from "@limbeck/core/pages/Page"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import type { Kind, Resource, StoredResource } from "@limbeck/core/resources/Kind"
import { AlreadyExists, ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import * as Token from "@limbeck/core/tokens/Token"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Connection } from "../sqlite/Connection.ts"
import type { Database } from "../sqlite/Database.ts"
import { newest } from "../sqlite/Pages.ts"
import { and, list, type Sql, sql } from "../sqlite/Sql.ts"
import { encodeText as text } from "../sqlite/Texts.ts"

const One = Schema.Struct({ one: Schema.Literal(1) })

const of = (partition: Partition, { name }: { readonly name: string }): Sql =>
  sql`partition = ${partition.key} AND kind = ${name}`

const read = <A extends Resource>(
  connection: Connection,
  kind: Kind<A>,
  condition: Sql
): ReadonlyArray<StoredResource<A>> => {
  const row = Schema.Struct({ revision: Schema.Int, body: Schema.fromJsonString(kind.schema) })
  const rows = connection.all(row, sql`SELECT revision, body FROM resources WHERE ${condition}`)
  return rows.map(({ body, revision }) => ({ value: body, revision }))
}

/** Whether another thing of the kind has the unique name. */
const isTaken = <A extends Resource>(
  connection: Connection,
  partition: Partition,
  kind: Kind<A>,
  value: A
): boolean => {
  const name = kind.unique(value)
  if (name === null) return false
  const holder = sql`${of(partition, kind)} AND unique_name = ${text(name)} AND id <> ${value.id}`
  return connection.first(One, sql`SELECT 1 AS one FROM resources WHERE ${holder}`) !== undefined
}

const isThere = (connection: Connection, partition: Partition, kind: { readonly name: string }, id: string): boolean =>
  connection.first(One, sql`SELECT 1 AS one FROM resources WHERE ${of(partition, kind)} AND id = ${id}`) !== undefined

const writeLabels = <A extends Resource>(connection: Connection, partition: Partition, kind: Kind<A>, value: A) => {
  connection.run(sql`DELETE FROM labels WHERE ${of(partition, kind)} AND id = ${value.id}`)
  for (const label of new Set(kind.labels(value))) {
    connection.run(sql`INSERT INTO labels VALUES (${partition.key}, ${kind.name}, ${text(label)}, ${value.id})`)
  }
}

const columnsOf = <A extends Resource>(kind: Kind<A>, value: A) => {
  const name = kind.unique(value)
  return {
    unique: name === null ? null : text(name),
    body: Schema.encodeSync(Schema.fromJsonString(kind.schema))(value)
  }
}

const insert = <A extends Resource>(connection: Connection, partition: Partition, kind: Kind<A>, value: A) => {
  const { body, unique } = columnsOf(kind, value)
  connection.run(sql`
    INSERT INTO resources
    VALUES (${partition.key}, ${kind.name}, ${value.id}, ${unique}, 0, ${value.createdAt}, ${body})`)
  writeLabels(connection, partition, kind, value)
}

/** Returns whether it was written. */
const compareAndSet = <A extends Resource>(
  connection: Connection,
  partition: Partition,
  kind: Kind<A>,
  { revision, value }: StoredResource<A>
): boolean => {
  if (isTaken(connection, partition, kind, value)) return false
  const { body, unique } = columnsOf(kind, value)
  const written = connection.run(sql`
    UPDATE resources SET unique_name = ${unique}, revision = revision + 1, body = ${body}
    WHERE ${of(partition, kind)} AND id = ${value.id} AND revision = ${revision}`)
  if (written === 1) writeLabels(connection, partition, kind, value)
  return written === 1
}

const carries = (label: string): Sql => sql`
  EXISTS (
    SELECT 1 FROM labels
    WHERE labels.partition = resources.partition AND labels.kind = resources.kind AND labels.id = resources.id
      AND label = ${text(label)}
  )`

export const make = (db: Database): ResourceStore["Service"] =>
  ResourceStore.of({
    insert: (partition, kind, value) =>
      Effect.filterOrFail(
        db.write("ResourceStore.insert", (connection) => {
          if (isThere(connection, partition, kind, value.id) || isTaken(connection, partition, kind, value))
            return false
          insert(connection, partition, kind, value)
          return true
        }),
        (isInserted) => isInserted,
        () => new AlreadyExists({ kind: kind.name, id: value.id })
      ).pipe(Effect.asVoid),
    add: (partition, kind, value) =>
      db.write("ResourceStore.add", (connection) => insert(connection, partition, kind, value)),
    find: (partition, kind, id) =>
      db.read("ResourceStore.find", (connection) =>
        Option.fromUndefinedOr(read(connection, kind, sql`${of(partition, kind)} AND id = ${id}`)[0])
      ),
    findUnique: (partition, kind, unique) =>
      db.read("ResourceStore.findUnique", (connection) =>
        Option.fromUndefinedOr(read(connection, kind, sql`${of(partition, kind)} AND unique_name = ${text(unique)}`)[0])
      ),
    compareAndSet: (partition, kind, stored) =>
      Effect.filterOrFail(
        db.write("ResourceStore.compareAndSet", (connection) => compareAndSet(connection, partition, kind, stored)),
        (isWritten) => isWritten,
        () => new RevisionConflict({ kind: kind.name, id: stored.value.id, revision: stored.revision })
      ).pipe(Effect.as({ value: stored.value, revision: stored.revision + 1 })),
    compareAndSetMany: (partition, kind, many) =>
      db.write("ResourceStore.compareAndSetMany", (connection) =>
        many.filter((stored) => !compareAndSet(connection, partition, kind, stored)).map(({ value }) => value.id)
      ),
    remove: (partition, kind, id) =>
      db.write(
        "ResourceStore.remove",
        (connection) => connection.run(sql`DELETE FROM resources WHERE ${of(partition, kind)} AND id = ${id}`) === 1
      ),
    page: (partition, kind, labels, request) =>
      db.read("ResourceStore.page", (connection) => {
        const wanted = newest(and([of(partition, kind), ...labels.map(carries)]), request)
        const rows = read(connection, kind, wanted).map(({ value }) => value)
        return Page.fromRows(rows, request.limit)
      }),
    findByLabels: (partition, kind, labels) =>
      db.read("ResourceStore.findByLabels", (connection) => {
        const found = labels.flatMap((label) =>
          read(connection, kind, sql`${of(partition, kind)} AND ${carries(label)}`)
        )
        const byId = new Map(found.map(({ value }) => [value.id, value]))
        return [...byId.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
      }),
    findMany: (partition, kind, ids) =>
      db.read("ResourceStore.findMany", (connection) =>
        read(connection, kind, sql`${of(partition, kind)} AND id IN ${list(ids)}`)
      )
  })

const TokenRow = Schema.Struct({ partition: Schema.String, body: Schema.fromJsonString(Token.Token) })

export const makeCredentials = (db: Database): CredentialStore["Service"] =>
  CredentialStore.of({
    findByDigest: (digest) =>
      db.read("CredentialStore.findByDigest", (connection) => {
        const token = sql`kind = ${Token.kind.name} AND unique_name = ${digest}`
        const found = connection.first(TokenRow, sql`SELECT partition, body FROM resources WHERE ${token}`)
        if (found === undefined) return Option.none()
        return Option.some({ partition: fromKey(found.partition), token: found.body })
      })
  })
