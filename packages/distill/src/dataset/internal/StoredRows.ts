/** Rows of versions as they are stored. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Row } from "../Row.ts"
import type { StoredRow } from "../RowStore.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Row))

/** A version's rows were checked before storage. */
export const rowOf = ({ body }: StoredRow): Effect.Effect<Row> => Effect.orDie(decode(body))
