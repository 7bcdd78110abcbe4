/** Records of calls for journal tests, partly with binary content. */
import type { CallRecord } from "@limbeck/capture/call/CallRecord"
import * as CallRecords from "@limbeck/testing/fixtures/CallRecords"

export const record = (index: number, fields: Partial<CallRecord> = {}): CallRecord =>
  CallRecords.record(index, { inputPerMillion: 1.5, tags: ["é", "b"], ...fields })

export const idsOf = (records: ReadonlyArray<object>): ReadonlyArray<unknown> =>
  records.map((entry) => ("id" in entry ? entry.id : undefined))
