/** Records that Postgres will never take. */
import { RecordRefused } from "@limbeck/capture/call/CallStore"
import * as Effect from "effect/Effect"
import { refusalOf } from "../connection/PostgresError.ts"

/** Runs before `failAs`: separates permanent refusals by Postgres from temporary failures. */
export const separateRefusals = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | RecordRefused, R> =>
  Effect.mapError(self, (error) => {
    const reason = refusalOf(error)
    return reason === undefined ? error : new RecordRefused({ reason })
  })
