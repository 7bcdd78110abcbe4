/** ResourceStore and CredentialStore on Postgres: one table for all kinds, one statement per call. */
import * as Page from "@limbeck/core/pages/Page"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import type { Kind, Resource, StoredResource } from "@limbeck/core/resources/Kind"
import { AlreadyExists, ResourceStore, RevisionConflict } from "@limbeck/core/resources/ResourceStore"
import { CredentialStore } from "@limbeck/core/tokens/CredentialStore"
import * as Token from "@limbeck/core/tokens/Token"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { BoundedClient } from "../connection/BoundedClient.ts"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { hold, lookUp } from "../connection/Writes.ts"
import * as PageConditions from "../statements/PageConditions.ts"
import * as ResourceBatches from "./ResourceBatches.ts"
import { codecs } from "./ResourceCodecs.ts"

/** The written columns beside kind, partition and id. */
const columns = <A extends Resource>(kind: Kind<A>, value: A) =>
  Effect.map(codecs(kind).encode(value), (doc) => ({
    unique: kind.unique(value),
    labels: T.texts(kind.labels(value)),
    doc: T.json(doc)
  }))

/**
 * A rare kind is a literal: one cached plan then suits every partition. Otherwise Postgres would plan the statement each
 * time, which takes longer than the look-up.
 */
const ofKind = <A extends Resource>(sql: BoundedClient, { isFew, name }: Kind<A>) =>
  isFew ? sql.literal(`kind = '${name}'`) : sql`kind = ${name}`

const valueOf = <A>(stored: StoredResource<A>): A => stored.value

export const make = (sql: BoundedClient): ResourceStore["Service"] => {
  const read = lookUp(sql)

  const inserting = <A extends Resource>(partition: Partition, kind: Kind<A>, value: A) =>
    Effect.map(
      columns(kind, value),
      ({ doc, labels, unique }) => sql`
      INSERT INTO resources (kind, partition, id, revision, created_at, unique_key, labels, doc)
      VALUES (${kind.name}, ${partition.key}, ${T.text(value.id)}, 0, ${T.int(value.createdAt)},
        ${T.textOrNull(unique)}, ${labels}, ${doc})`
    )

  const add = Effect.fnUntraced(function* <A extends Resource>(partition: Partition, kind: Kind<A>, value: A) {
    yield* hold(sql, "ResourceStore.add")(yield* inserting(partition, kind, value))
  }, failAs("ResourceStore.add"))

  const insert = Effect.fnUntraced(function* <A extends Resource>(partition: Partition, kind: Kind<A>, value: A) {
    const made = yield* sql`${yield* inserting(partition, kind, value)} ON CONFLICT DO NOTHING RETURNING 1`
    if (made.length === 0) return yield* new AlreadyExists({ kind: kind.name, id: value.id })
  }, failAs("ResourceStore.insert"))

  const find = Effect.fnUntraced(function* <A extends Resource>(partition: Partition, kind: Kind<A>, id: string) {
    const rows = yield* read(sql`
      SELECT doc::text AS text, revision FROM resources
      WHERE kind = ${kind.name} AND partition = ${partition.key} AND id = ${T.text(id)}`)
    return Option.fromUndefinedOr((yield* codecs(kind).decode(rows))[0])
  }, failAs("ResourceStore.find"))

  const findUnique = Effect.fnUntraced(function* <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    unique: string
  ) {
    const rows = yield* read(sql`
      SELECT doc::text AS text, revision FROM resources
      WHERE kind = ${kind.name} AND unique_key = ${T.text(unique)} AND partition = ${partition.key}`)
    return Option.fromUndefinedOr((yield* codecs(kind).decode(rows))[0])
  }, failAs("ResourceStore.findUnique"))

  const compareAndSet = Effect.fnUntraced(function* <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    { revision, value }: StoredResource<A>
  ) {
    const { doc, labels, unique } = yield* columns(kind, value)
    const name = T.textOrNull(unique)
    // A unique name that another has is looked for first: a violated index would end the surrounding transaction.
    const written = yield* sql`
      UPDATE resources SET revision = revision + 1, created_at = ${T.int(value.createdAt)},
        unique_key = ${name}, labels = ${labels}, doc = ${doc}
      WHERE kind = ${kind.name} AND partition = ${partition.key} AND id = ${T.text(value.id)}
        AND revision = ${T.int(revision)}
        AND NOT EXISTS (SELECT FROM resources other
          WHERE other.kind = ${kind.name} AND other.unique_key = ${name} AND other.partition = ${partition.key}
            AND other.id <> ${T.text(value.id)})
      RETURNING 1`
    if (written.length === 0) return yield* new RevisionConflict({ kind: kind.name, id: value.id, revision })
    return { value, revision: revision + 1 }
  }, failAs("ResourceStore.compareAndSet"))

  const remove = Effect.fnUntraced(function* <A extends Resource>(partition: Partition, kind: Kind<A>, id: string) {
    const removed = yield* sql`
      DELETE FROM resources
      WHERE kind = ${kind.name} AND partition = ${partition.key} AND id = ${T.text(id)} RETURNING 1`
    return removed.length > 0
  }, failAs("ResourceStore.remove"))

  const page = Effect.fnUntraced(function* <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    labels: ReadonlyArray<string>,
    request: Page.PageRequest
  ) {
    const found = sql`
      SELECT doc::text AS text, revision FROM resources
      WHERE ${sql.and([
        sql`kind = ${kind.name} AND partition = ${partition.key}`,
        ...(labels.length === 0 ? [] : [sql`labels @> ${T.texts(labels)}`]),
        ...PageConditions.of(sql, request)
      ])}
      ORDER BY id DESC LIMIT ${labels.length === 0 ? T.few(sql, request.limit + 1) : T.int(request.limit + 1)}`
    // The right index depends on the label's frequency: this statement is planned for its values.
    const rows = yield* labels.length === 0 ? read(found) : found.unprepared
    return Page.map(Page.fromRows(yield* codecs(kind).decode(rows), request.limit), valueOf)
  }, failAs("ResourceStore.page"))

  const findByLabels = Effect.fnUntraced(function* <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    labels: ReadonlyArray<string>
  ) {
    const carried = sql`labels && ${T.texts(labels)}`
    // The label index covers all kinds, and reads its pending list (new entries since the last vacuum) whole. `IS TRUE`
    // hides the condition from the planner, which would prefer that index in a cached plan.
    const rows = yield* read(sql`
      SELECT doc::text AS text, revision FROM resources
      WHERE ${ofKind(sql, kind)} AND partition = ${partition.key} AND ${kind.isFew ? sql`(${carried}) IS TRUE` : carried}
      ORDER BY id`)
    return (yield* codecs(kind).decode(rows)).map(valueOf)
  }, failAs("ResourceStore.findByLabels"))

  const batches = ResourceBatches.make(sql)
  return ResourceStore.of({ insert, add, find, findUnique, compareAndSet, remove, page, findByLabels, ...batches })
}

const CredentialRows = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ partition: Schema.String, token: Token.Token }))
)

export const makeCredentials = (sql: BoundedClient): CredentialStore["Service"] =>
  CredentialStore.of({
    findByDigest: Effect.fnUntraced(function* (digest) {
      const rows = yield* lookUp(sql)(sql`
        SELECT partition, doc AS token FROM resources
        WHERE kind = ${Token.kind.name} AND unique_key = ${T.text(digest)} ORDER BY partition LIMIT 1`)
      const [row] = yield* CredentialRows(rows)
      return row === undefined ? Option.none() : Option.some({ partition: fromKey(row.partition), token: row.token })
    }, failAs("CredentialStore.findByDigest"))
  })
