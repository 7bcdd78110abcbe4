/**
 * An example for a schema of the document: its own, or else one built from its members' examples. So each operation has a
 * fitting example, and a new operation needs none.
 */
import type * as Schema from "effect/Schema"

/** The used part of JSON Schema. */
export interface Node {
  readonly $ref?: string
  readonly type?: string
  readonly description?: string
  readonly format?: string
  readonly examples?: ReadonlyArray<Schema.Json>
  readonly default?: Schema.Json
  readonly const?: Schema.Json
  readonly enum?: ReadonlyArray<Schema.Json>
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Node | false
  readonly properties?: Readonly<Record<string, Node>>
  readonly required?: ReadonlyArray<string>
  readonly maxProperties?: number
  readonly allOf?: ReadonlyArray<Node>
  readonly anyOf?: ReadonlyArray<Node>
  readonly oneOf?: ReadonlyArray<Node>
}

const rewardId = "rwd_01kaf3tn0e5v2b8w6xq4rj7mcd"

/** Example texts by name, for schemas with only a type. */
const texts: Readonly<Record<string, string>> = {
  access_key_id: "AKIDEXAMPLE",
  alias: "support",
  api_key: "provider-key",
  api_key_last4: "4f2a",
  api_version: "2026-11-01",
  auth_header: "Bearer provider-key",
  base: "builtin/text-classifier",
  body_snippet: "ok",
  bucket: "training-data",
  comment: "The customer was content",
  completion: "refund",
  description: "Answers of the support desk",
  domain: "webhook_endpoint",
  // Servers of webhooks alone know it too.
  enabled_events: "webhook_endpoint.*",
  event_type: "webhook_endpoint.disabled",
  executor: "builtin",
  external_id: "ticket-4711",
  filename: "conversations.jsonl",
  kind: "sft",
  level: "info",
  license: "MIT",
  machine: "this-machine",
  message: "epoch 1 of 3",
  model: "gpt-4.1-mini",
  models: "gpt-4.1-mini",
  name: "support-answers",
  next_cursor: "eyJ2IjoxfQ",
  pattern: "^(refund|return)$",
  plan: "self_hosted",
  plan_hash: "9a6f4bd2c7e1835af06d91b27c4e5a38d0f7b6129e8c3da45160fb2793ac5e84",
  profile: "local",
  rationale: "The completions come from a closed set of labels.",
  region: "eu-central-1",
  rewards: rewardId,
  role: "user",
  rubric: "How friendly is the answer?",
  secret: "whsec_Zs0m7Qb3Xk9Tf2Lw8Rv5Yc1Hn6Jd4Gp0Ae7Uo3Ix9Mt",
  secret_access_key: "provider-secret",
  source: "main",
  source_name: "main",
  student_model: "builtin/text-classifier",
  student_model_name: "support-student",
  summary: "The student matches the teacher on 97 of 100 rows.",
  tags: "support",
  type: "webhook_endpoint.disabled",
  unit: "loss",
  version: "1.0.0"
}

const numbers: Readonly<Record<string, number>> = {
  below_confidence: 0.7,
  bytes: 48_213,
  epochs: 3,
  expires_in_seconds: 86_400,
  holdout_fraction: 0.2,
  learning_rate: 0.0002,
  lora_rank: 16,
  max_cost_usd: 5,
  max_points: 500,
  max_seq_len: 4096,
  min_agreement: 0.9,
  status_code: 200,
  timeout_ms: 60_000,
  traffic_percent: 100,
  verify_percent: 2
}

/** Examples of media types other than JSON. */
const media: Readonly<Record<string, string>> = {
  "application/x-ndjson": '{"messages":[{"role":"user","content":"I want my money back"}],"completion":"refund"}\n',
  "text/event-stream": 'id: 1\nevent: state\ndata: {"status":"running"}\n\n',
  "text/html": "<!doctype html><title>Report</title>"
}

const urls: Readonly<Record<string, string>> = {
  base_url: "https://models.example/v1",
  endpoint: "https://storage.example"
}

const digest = "3f0c1d6a9b7e42558d1fa0c6b3e7749125d8a6f0e4c19b73825f6ad0c1e9b347"

const textOf = (node: Node, name: string): string => {
  // An end follows its beginning.
  if (node.format === "date-time")
    return name.startsWith("expires") ? "2030-01-01T00:00:00.000Z" : "2026-11-20T10:00:00.000Z"
  if (node.format === "uri") return urls[name] ?? "https://app.example/hooks/limbeck"
  return name.endsWith("sha256") ? digest : (texts[name] ?? "text")
}

const numberOf = ({ maximum = 1, minimum = 1 }: Node, name: string): number =>
  numbers[name] ?? Math.min(Math.max(minimum, 1), maximum)

const alternativesOf = (node: Node): ReadonlyArray<Node> => node.anyOf ?? node.oneOf ?? []

/** With the bounds of `allOf` beside its own. */
const merged = ({ allOf = [], ...node }: Node): Node => Object.assign({}, ...allOf, node)

/** `find` resolves a `$ref`; `name` is the member with this schema. */
export const exampleOf = (given: Node, find: (reference: string) => Node, name = ""): Schema.Json => {
  if (given.$ref !== undefined) return exampleOf(find(given.$ref), find, name)
  const node = merged(given)
  const said = node.examples?.[0] ?? node.const ?? node.enum?.[0] ?? node.default
  if (said !== undefined) return said
  const alternatives = alternativesOf(node)
  if (node.type === undefined && alternatives.length > 0) {
    // An example of something that went well.
    const isNull = name === "error" && alternatives.some(({ type }) => type === "null")
    return isNull ? null : exampleOf(alternatives[0]!, find, name)
  }
  switch (node.type) {
    case "object":
      return Object.fromEntries(
        Object.entries(node.properties ?? {})
          .slice(0, node.maxProperties)
          .map(([member, schema]) => [member, exampleOf(schema, find, member)])
      )
    case "array":
      return node.items ? [exampleOf(node.items, find, name)] : []
    case "string":
      return textOf(node, name)
    case "integer":
    case "number":
      return numberOf(node, name)
    case "boolean":
      return true
    default:
      return null
  }
}

/** Of a body of this type. Bytes that no text can show have none. */
export const bodyExample = (type: string, schema: Node, find: (reference: string) => Node): Schema.Json | undefined =>
  type === "application/json" ? exampleOf(schema, find) : (schema.examples?.[0] ?? media[type])
