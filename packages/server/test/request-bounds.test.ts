/** Values beyond the document's bounds are refused by the name of their field (contract 15.9). */

import { it } from "@effect/vitest"
import { scopes } from "@limbeck/core/tokens/Scope"
import { body as source } from "@limbeck/testing/http/SourceSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { onMemory } from "./support/House.ts"

const many = <A>(count: number, item: A): ReadonlyArray<A> => Array.from({ length: count }, () => item)
const long = (length: number) => "a".repeat(length)

const recipe = { student_model: "builtin/text-classifier", stages: [], rewards: [] }
const run = { dataset_version: "dsv_1", recipe, budget: { max_cost_usd: 1 } }
const endpoint = { url: "https://example.com", enabled_events: ["*"] }

/** One too many, or one too long; and the field that says so. */
const cases: ReadonlyArray<readonly [path: string, param: string, body: object]> = [
  ["/v1/tokens", "scopes", { name: "a", scopes: many(65, "distill:read") }],
  ["/v1/tokens", "scopes", { name: "a", scopes: many(2, "distill:read") }],
  ["/v1/tokens", "scopes", { name: "a", scopes: many(60_000, "distill:read") }],
  ["/v1/sources", "models", source({ models: many(1_001, "gpt") })],
  ["/v1/sources", "api_key", source({ api_key: long(4_097) })],
  ["/v1/webhook_endpoints", "enabled_events", { ...endpoint, enabled_events: many(1_001, "*") }],
  ["/v1/webhook_endpoints", "enabled_events[0]", { ...endpoint, enabled_events: [long(256)] }],
  ["/v1/webhook_endpoints", "api_version", { ...endpoint, api_version: long(33) }],
  ["/v1/distill/runs", "recipe.rewards", { ...run, recipe: { ...recipe, rewards: many(101, "rwd_1") } }],
  [
    "/v1/distill/runs",
    "recipe.stages",
    { ...run, recipe: { ...recipe, stages: many(17, { kind: "eval", config: {} }) } }
  ],
  ["/v1/distill/runs", "dataset_version", { ...run, dataset_version: long(256) }],
  ["/v1/distill/feedback", "call_id", { call_id: long(256), name: "a", value: 1 }],
  ["/v1/distill/uploads", "loop", { filename: "a", format: "chat_jsonl", loop: long(256) }],
  [
    "/v1/distill/rewards",
    "config.schema",
    {
      name: "a",
      kind: "json_schema",
      config: { schema: Object.fromEntries(many(1_001, 0).map((_, n) => [`x${n}`, 1])) }
    }
  ],
  [
    "/v1/distill/connectors",
    "config.metadata",
    {
      name: "a",
      kind: "openai_stored_completions",
      config: { api_key: "k", metadata: Object.fromEntries(many(65, "").map((value, n) => [`x${n}`, value])) }
    }
  ]
]

onMemory("a body", (house) => {
  it.each(cases)("of %s is refused where it is longer than the document says: %s (P120)", async (path, param, body) => {
    const { live } = await house.workspace()
    assertRefused(await live.post(path, body, freshKey()), 400, "invalid_request_error", param)
  })

  it("of a token may have every scope, once", async () => {
    const { live } = await house.workspace()
    expectStatus(await live.post("/v1/tokens", { name: "a", scopes }), 201)
  })
})
