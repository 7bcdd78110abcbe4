/** What a client may do in one request. Each act draws its fields from the generator. */
import type { Generator } from "@limbeck/testing/random/Generator"
import {
  type Body,
  chatBody,
  nameOf,
  nearly,
  reference,
  rowsOf,
  runBody,
  served,
  tagsOf,
  versionBody
} from "./Bodies.ts"
import { collections } from "./Collections.ts"
import type { Act } from "./Step.ts"

type Draw = (generator: Generator) => Act

const post =
  (path: string | ((generator: Generator) => string), body: (generator: Generator) => Body = () => ({})): Draw =>
  (generator) => ({
    method: "POST",
    path: typeof path === "string" ? path : path(generator),
    body: nearly(generator, body(generator))
  })

const queries = [
  "",
  "?limit=2",
  "?limit=3",
  "?limit=100",
  "?limit=0",
  "?order=asc",
  "?status=succeeded",
  "?name=tickets"
]

const list: Draw = ({ below, pick }) => ({
  method: "GET",
  path: pick(collections)[0] + pick(queries),
  isNextPage: below(3) === 0
})

const show: Draw = (generator) => {
  const [path, prefix] = generator.pick(collections)
  return { method: "GET", path: `${path}/${reference(generator, prefix)}` }
}

/** One in six is of another kind than the path asks for. */
const remove: Draw = (generator) => {
  const { below, pick } = generator
  const removable = [
    "/v1/agents",
    "/v1/channels",
    "/v1/sources",
    "/v1/tokens",
    "/v1/webhook_endpoints",
    "/v1/distill/calls"
  ]
  const [path, prefix] = pick(collections.filter(([collection]) => removable.includes(collection)))
  return { method: "DELETE", path: `${path}/${reference(generator, below(6) === 0 ? "run_" : prefix)}` }
}

const patches: Readonly<Record<string, (generator: Generator) => Body>> = {
  "/v1/agents": (generator) => ({ name: nameOf(generator), instructions: generator.pick([null, "Be brief."]) }),
  "/v1/channels": (generator) => ({ name: nameOf(generator) }),
  "/v1/sources": (generator) => ({ retries: generator.below(5), default: generator.pick([true, false]) }),
  "/v1/webhook_endpoints": ({ pick }) => ({ enabled_events: pick([["*"], ["distill.run.*"], ["nonsense"]]) }),
  "/v1/distill/loops": (generator) => ({ name: nameOf(generator) }),
  "/v1/distill/deployments": ({ pick }) => ({ mode: pick(["active", "shadow", "off"]) })
}

const change: Draw = (generator) => {
  const [path, prefix] = generator.pick(collections.filter(([collection]) => patches[collection] !== undefined))
  const body = nearly(generator, patches[path]!(generator))
  return { method: "PATCH", path: `${path}/${reference(generator, prefix)}`, body }
}

const ask: Draw = (generator) => ({
  ...post("/v1/proxy/chat/completions", chatBody)(generator),
  headers: { "x-service-tags": tagsOf(generator).join(",") }
})

const announceUpload: Draw = (generator) => ({
  method: "POST",
  path: "/v1/distill/uploads",
  body: nearly(generator, { filename: "rows.jsonl", format: "chat_jsonl" }),
  content: rowsOf(generator)
})

export const acts: ReadonlyArray<Draw> = [
  list,
  list,
  list,
  show,
  show,
  show,
  remove,
  change,
  change,
  post("/v1/agents", (generator) => ({ name: nameOf(generator), source: reference(generator, "src_"), model: "gpt" })),
  post("/v1/channels", (generator) => ({ name: nameOf(generator), kind: generator.pick(["web", "api"]) })),
  post("/v1/sources", (generator) => ({
    name: `source-${generator.below(12)}`,
    kind: "byok",
    base_url: "https://upstream.example/v1",
    api_key: "sk-0123456789",
    ...generator.pick([{}, { fallbacks: [{ source: reference(generator, "src_") }] }])
  })),
  post("/v1/tokens", (generator) => ({
    name: nameOf(generator),
    scopes: generator.pick([["distill:read"], ["distill:read", "proxy:write"], ["nothing:write"]])
  })),
  post((generator) => `/v1/tokens/${reference(generator, "tok_")}/rotate`),
  post("/v1/webhook_endpoints", ({ below, pick }) => ({
    url: `https://receiver.example/${below(5)}`,
    enabled_events: pick([["distill.run.succeeded"], ["*"]])
  })),
  post("/v1/distill/loops", (generator) => ({ name: nameOf(generator) })),
  post("/v1/distill/connectors", (generator) => ({
    name: nameOf(generator),
    kind: "http_jsonl",
    config: { url: "https://data.example/rows.jsonl" }
  })),
  post("/v1/distill/datasets", (generator) => ({ name: nameOf(generator) })),
  announceUpload,
  post((generator) => `/v1/distill/datasets/${reference(generator, "ds_")}/versions`, versionBody),
  post((generator) => `/v1/distill/datasets/${reference(generator, "ds_")}/versions`, versionBody),
  (generator) => ({
    method: "GET",
    path: `/v1/distill/dataset_versions/${reference(generator, "dsv_")}${generator.pick(["", "/rows?limit=3", "/export", "/suspects"])}`
  }),
  post("/v1/distill/recipes/propose", (generator) => ({
    dataset_version: reference(generator, "dsv_"),
    objective: "cost",
    max_cost_usd: 5
  })),
  post("/v1/distill/rewards", ({ pick }) => ({
    name: pick(["same", "json"]),
    kind: pick(["exact_match", "json_schema", "nonsense"]),
    config: pick([{}, { schema: { type: "object" } }])
  })),
  post(
    (generator) => `/v1/distill/rewards/${reference(generator, "rwd_")}/score`,
    ({ pick }) => ({
      row: { messages: [{ role: "user", content: "a" }], completion: "b" },
      completion: pick(["b", "c", "{}"])
    })
  ),
  post("/v1/distill/runs", runBody),
  post("/v1/distill/runs", runBody),
  post((generator) => `/v1/distill/runs/${reference(generator, "run_")}/${generator.pick(["cancel", "retry"])}`),
  (generator) => ({
    method: "GET",
    path: `/v1/distill/runs/${reference(generator, "run_")}/${generator.pick(["metrics", "logs"])}?limit=3`
  }),
  post("/v1/distill/feedback", (generator) => ({
    call_id: reference(generator, "call_"),
    name: generator.pick(["correct", "thumb"]),
    value: generator.pick([0, 1, 2])
  })),
  post("/v1/distill/deployments", (generator) => ({
    alias: `desk-${generator.below(4)}`,
    student_model: reference(generator, "stu_"),
    mode: generator.pick(["active", "shadow"]),
    ...served,
    ...generator.pick([{}, { fallback: { source: reference(generator, "src_"), model: "gpt" } }])
  })),
  post(
    (generator) => `/v1/distill/deployments/${reference(generator, "dep_")}/${generator.pick(["retire", "rollback"])}`
  ),
  ask,
  ask,
  ask
]
