/** ResourceStore's writes of many resources of a kind by one statement, whose text is the same for any number. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { Kind, Resource, StoredResource } from "@limbeck/core/resources/Kind"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import { codecs } from "./ResourceCodecs.ts"

/**
 * A Postgres array has no rows of unequal length, so labels are JSON. $3 ids, and in the same order $4 revisions and the
 * written columns.
 */
const place = "array_position($3, id)"
const settingMany = `
  UPDATE resources SET revision = revision + 1, created_at = ($5)[${place}],
    labels = ARRAY(SELECT json_array_elements_text(($6)[${place}])), doc = ($7)[${place}]
  WHERE kind = $1 AND partition = $2 AND id = ANY($3) AND revision = ($4)[${place}]
  RETURNING id`

const decodeIds = Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ id: Schema.String })))

export const make = (sql: PgClient.PgClient): Pick<ResourceStore["Service"], "compareAndSetMany" | "findMany"> => {
  const compareAndSetMany = Effect.fnUntraced(function* <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    stored: ReadonlyArray<StoredResource<A>>
  ) {
    const ids = T.texts(stored.map(({ value }) => value.id))
    const docs = yield* Effect.forEach(stored, ({ value }) => codecs(kind).encode(value))
    const written = yield* sql.unsafe(settingMany, [
      kind.name,
      partition.key,
      ids,
      T.ints(stored.map(({ revision }) => revision)),
      T.ints(stored.map(({ value }) => value.createdAt)),
      T.jsons(stored.map(({ value }) => kind.labels(value).map(T.withoutNul))),
      T.jsons(docs)
    ])
    const known = new Set((yield* decodeIds(written)).map(({ id }) => id))
    return stored.map(({ value }) => value.id).filter((id) => !known.has(id))
  }, failAs("ResourceStore.compareAndSetMany"))

  const findMany = Effect.fnUntraced(function* <A extends Resource>(
    partition: Partition,
    kind: Kind<A>,
    ids: ReadonlyArray<string>
  ) {
    const rows = yield* sql`
      SELECT doc::text AS text, revision FROM resources
      WHERE kind = ${kind.name} AND partition = ${partition.key} AND id = ANY(${T.texts(ids)})`
    return yield* codecs(kind).decode(rows)
  }, failAs("ResourceStore.findMany"))

  return { compareAndSetMany, findMany }
}
