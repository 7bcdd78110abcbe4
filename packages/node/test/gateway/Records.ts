/** Records of calls for tests of the journal. */
import type { CallRecord } from "@limbeck/gateway/capture/CallRecord"

const encoder = new TextEncoder()

export const record = (index: number, fields: Partial<CallRecord> = {}): CallRecord => ({
  kind: "call",
  partition: "ws_00000000000000000000000001.live",
  id: `call_${String(index).padStart(26, "0")}`,
  endpoint: "chat.completions",
  source: "src_00000000000000000000000001",
  sourceName: "main",
  inputPerMillion: 1.5,
  outputPerMillion: null,
  managed: false,
  model: "gpt",
  servedBy: "upstream",
  deployment: null,
  fallbackReason: null,
  confidence: null,
  tags: ["é", "b"],
  externalId: null,
  outcome: "succeeded",
  statusCode: 200,
  contentType: "application/json",
  contentEncoding: null,
  createdAt: 1_000 + index,
  latencyMillis: 12,
  firstTokenMillis: 3,
  request: encoder.encode(`{"model":"gpt","n":${index}}`),
  response: [encoder.encode('{"id":"chatcmpl-1"}')],
  ...fields
})

export const idsOf = (records: ReadonlyArray<object>): ReadonlyArray<unknown> =>
  records.map((entry) => ("id" in entry ? entry.id : undefined))
