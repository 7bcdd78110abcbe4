/** Records of calls, as the hot path writes them. */
import type { CallRecord } from "../src/capture/CallRecord.ts"

export const partition = "ws_00000000000000000000000001.live"

const encoder = new TextEncoder()

export const record = (index: number, fields: Partial<CallRecord> = {}): CallRecord => ({
  kind: "call",
  partition,
  id: `call_${String(index).padStart(26, "0")}`,
  endpoint: "chat.completions",
  source: "src_00000000000000000000000001",
  sourceName: "main",
  inputPerMillion: null,
  outputPerMillion: null,
  managed: false,
  model: "gpt",
  servedBy: "upstream",
  deployment: null,
  fallbackReason: null,
  confidence: null,
  tags: [],
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

export const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from }, (_, index) => from + index)
