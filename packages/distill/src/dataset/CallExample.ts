/** A captured call as a row. */
import type { ScannedCall } from "@limbeck/capture/call/CallStore"
import type * as Turns from "@limbeck/core/turns/Turns"
import * as Result from "effect/Result"
import * as CallRow from "./internal/CallRow.ts"
import * as RowReader from "./internal/RowReader.ts"
import * as TrafficWeights from "./internal/TrafficWeights.ts"
import type { Row } from "./Row.ts"

/** Undefined for a call that gives no row of a conversation. */
export function* reading(call: ScannedCall): Turns.Steps<Row | undefined> {
  const line = yield* CallRow.reading(call, TrafficWeights.none)
  const read = "text" in line && line.text !== null ? yield* RowReader.reading(line.text) : undefined
  return read === undefined || Result.isFailure(read) ? undefined : read.success.row
}
