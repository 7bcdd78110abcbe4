/** Finds and removes contents last put long ago, for the sweep of unreferenced contents. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import type { BlobKey, Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import { fromKey, type Partition } from "@limbeck/core/partition/Partition"
import type { Millis } from "@limbeck/core/time/Timestamp"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { failAs } from "../connection/PostgresError.ts"
import * as T from "../connection/PostgresTypes.ts"
import * as BlobPieces from "./BlobPieces.ts"

/** Contents that one statement lists. */
const keysPerPage = 500

const decodeKeys = Schema.decodeUnknownEffect(
  Schema.Array(Schema.Struct({ partition: Schema.String, sha256: Schema.String }))
)

type Pieces = ReturnType<typeof BlobPieces.make>
type Methods = Pick<Blobs["Service"], "quiet" | "removeIfQuiet">

export const make = (sql: PgClient.PgClient, { remove }: Pick<Pieces, "remove">): Methods => {
  const quietAfter = Effect.fnUntraced(function* (before: Millis, after: BlobKey | null) {
    const rows = yield* sql`
      SELECT partition, sha256 FROM blobs
      WHERE put_at < ${T.int(before)}
        AND (partition, sha256) > (${T.text(after?.partition.key ?? "")}, ${T.text(after?.sha256 ?? "")})
      ORDER BY partition, sha256 LIMIT ${T.int(keysPerPage)}`
    const keys = (yield* decodeKeys(rows)).map(({ partition, sha256 }) => ({ partition: fromKey(partition), sha256 }))
    const last = keys.length < keysPerPage ? undefined : keys.at(-1)
    return [keys, Option.fromUndefinedOr(last)] as const
  }, failAs("Blobs.quiet"))

  /** A concurrent put has locked the row: the delete waits for its commit and reads the new row. */
  const removeIfQuiet = Effect.fnUntraced(function* (partition: Partition, sha256: string, before: Millis) {
    const rows = yield* sql`
      DELETE FROM blobs
      WHERE partition = ${partition.key} AND sha256 = ${T.text(sha256)} AND put_at < ${T.int(before)}
      RETURNING upload`
    const [removed] = yield* BlobPieces.decodeUpload(rows)
    // The sweep of unfinished puts also removes pieces that a crash leaves here.
    if (removed !== undefined) yield* remove(removed.upload)
    return removed !== undefined
  }, failAs("Blobs.removeIfQuiet"))

  return {
    quiet: (before) =>
      Stream.paginate<BlobKey | null, BlobKey, StorageError>(null, (after) => quietAfter(before, after)),
    removeIfQuiet
  }
}
