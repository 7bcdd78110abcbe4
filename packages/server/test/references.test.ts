/**
 * An unknown id in a body is a 404, as in a path; for a source or a reward a 400 (contract 5 and 16.46). A body, a header
 * or a query with another mode's or workspace's id gets the response for an unknown one (contract 2). The contract's
 * definitions list the fields, so a new field fails here until it has a case.
 */
import { assert, beforeAll, it } from "@effect/vitest"
import { hasty } from "@limbeck/testing/http/DeploymentSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import type { Answer, Client, ListOf } from "./support/Client.ts"
import { assertInvalid, assertRefused, expectStatus } from "./support/Client.ts"
import { bodyReferences } from "./support/Document.ts"
import { type Furniture, furnish, unknownLike } from "./support/Furnished.ts"
import { onEachStorage, type Workspace } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

/** Sends a request whose `id` names a resource, and in which all else is the caller's own. */
type Case = readonly [
  kind: keyof Furniture,
  send: (caller: Client, own: Furniture, id: string) => Promise<Answer<unknown>>
]

const post = (path: string, body: (own: Furniture, id: string) => unknown): Case[1] => {
  return (caller, own, id) => caller.post(path, body(own, id), freshKey())
}

const runs = "/v1/distill/runs"
const sft = { kind: "sft", config: {} }

const run = (own: Furniture, fields: object = {}) => ({
  ...planOf(own["dataset_version_id"] ?? ""),
  dry_run: true,
  ...fields
})
const recipe = (fields: object) => ({
  recipe: { student_model: "builtin/text-classifier", stages: [sft], rewards: [], ...fields }
})
const version: Case[1] = (caller, own, id) =>
  caller.post(`/v1/distill/datasets/${own["dataset_id"]}/versions`, { from: { upload: id } }, freshKey())

const question = { text: "a", webhook: "https://receiver.example/chat" }

let aliases = 0
const deployment = (fields: object) => ({ alias: `alias-${++aliases}`, mode: "active", ...fields })

/** By operation and field, named as in the definitions. */
const ofBodies: Readonly<Record<string, Case>> = {
  "createFeedback call_id": [
    "call_id",
    post("/v1/distill/feedback", (_, call_id) => ({ call_id, name: "a", value: 1 }))
  ],
  "createUpload loop": ["loop_id", post("/v1/distill/uploads", (_, loop) => ({ filename: "a", loop }))],
  "createDataset loop": ["loop_id", post("/v1/distill/datasets", (_, loop) => ({ name: "a", loop }))],
  "createDatasetVersion from.upload": ["upload_id", version],
  "createDatasetVersion from.pull": [
    "pull_id",
    (caller, own, pull) =>
      caller.post(`/v1/distill/datasets/${own["dataset_id"]}/versions`, { from: { pull } }, freshKey())
  ],
  "createDatasetVersion from.versions.[]": [
    "dataset_version_id",
    (caller, own, id) =>
      caller.post(`/v1/distill/datasets/${own["dataset_id"]}/versions`, { from: { versions: [id] } }, freshKey())
  ],
  "createStudentModel artifact.upload": [
    "upload_id",
    post("/v1/distill/student_models", (_, upload) => ({
      name: "a",
      base_model: "m",
      artifact: { upload, sha256: "0".repeat(64) }
    }))
  ],
  "createStudentModel run": [
    "run_id",
    post("/v1/distill/student_models", (_, run) => ({
      name: "a",
      base_model: "m",
      endpoint: { base_url: "https://models.example/v1", model: "m" },
      run
    }))
  ],
  "proposeRecipe dataset_version": [
    "dataset_version_id",
    post("/v1/distill/recipes/propose", (_, dataset_version) => ({
      dataset_version,
      objective: "cost",
      max_cost_usd: 1
    }))
  ],
  "createRun dataset_version": [
    "dataset_version_id",
    post(runs, (own, dataset_version) => run(own, { dataset_version }))
  ],
  "createRun loop": ["loop_id", post(runs, (own, loop) => run(own, { loop }))],
  "createRun validated_dry_run": [
    "run_id",
    post(runs, (own, validated_dry_run) => run(own, { validated_dry_run, plan_hash: "0".repeat(64) }))
  ],
  "createDeployment student_model": [
    "student_model_id",
    post("/v1/distill/deployments", (_, student_model) => deployment({ student_model }))
  ],
  "updateDeployment student_model": [
    "student_model_id",
    (caller, own, student_model) => caller.patch(`/v1/distill/deployments/${own["deployment_id"]}`, { student_model })
  ],
  "createReviewQueue dataset_version": [
    "dataset_version_id",
    post("/v1/distill/review_queues", (_, dataset_version) => ({ dataset_version }))
  ],
  "createReviewQueue deployment": [
    "deployment_id",
    post("/v1/distill/review_queues", (_, deployment) => ({ deployment }))
  ]
}

/** Kinds whose unknown names and ids are a 400 with this `param`. */
const settings: Readonly<Record<string, readonly [...Case, param: string]>> = {
  "rewards of a recipe": [
    "reward_id",
    post(runs, (own, id) => run(own, recipe({ rewards: [id] }))),
    "recipe.rewards[0]"
  ],
  "rewards of eval": [
    "reward_id",
    post(runs, (own, id) =>
      run(own, recipe({ stages: [sft, { kind: "eval", config: { rewards: [id] } }], rewards: [id] }))
    ),
    "recipe.rewards[0]"
  ],
  "rewards of a proposal": [
    "reward_id",
    post("/v1/distill/recipes/propose", (own, id) => ({
      dataset_version: own["dataset_version_id"],
      objective: "cost",
      max_cost_usd: 1,
      rewards: [id]
    })),
    "rewards[0]"
  ],
  "the source of a version": [
    "source_id",
    (caller, own, source) =>
      caller.post(`/v1/distill/datasets/${own["dataset_id"]}/versions`, { from: { calls: { source } } }, freshKey()),
    "from.calls.source"
  ],
  "the source of a fallback": [
    "source_id",
    post("/v1/distill/deployments", (own, source) =>
      deployment({ student_model: own["student_model_id"], fallback: { source, model: "m" } })
    ),
    "fallback.source"
  ],
  "the source of a judge": [
    "source_id",
    post("/v1/distill/rewards", (_, source) => ({
      name: "a",
      kind: "llm_judge",
      config: { rubric: "Is it right?", model: "m", scale: { min: 0, max: 1 }, source }
    })),
    "config.source"
  ],
  "the source of an agent": [
    "source_id",
    post("/v1/agents", (_, source) => ({ name: "a", source, model: "m" })),
    "source"
  ],
  "the source of a call": [
    "source_id",
    (caller, _, id) =>
      caller.post("/v1/proxy/chat/completions", { model: "m", messages: [] }, { "x-service-source": id }),
    "X-Service-Source"
  ]
}

/** By field; the document does not say their form, since a name is taken too. */
const ofChat: Readonly<Record<string, Case>> = {
  "createChannel agent": ["agent_id", post("/v1/channels", (_, agent) => ({ name: "a", kind: "api", agent }))],
  "sendMessage agent": ["agent_id", post("/v1/chat", (_, agent) => ({ ...question, agent }))],
  "sendMessage channel": [
    "channel_id",
    post("/v1/chat", (own, channel) => ({ ...question, channel, agent: own["agent_id"] }))
  ],
  "sendMessage conversation": [
    "conversation_id",
    post("/v1/chat", (own, conversation) => ({ ...question, conversation, agent: own["agent_id"] }))
  ]
}

const found: Readonly<Record<string, Case>> = { ...ofBodies, ...ofChat }
const all: Readonly<Record<string, readonly [...Case, param?: string]>> = { ...found, ...settings }

const told = ({ status, text }: Answer<unknown>, id: string) => [
  status,
  text.replace(/req_\w{26}/, "").replaceAll(id, "(id)")
]

onEachStorage(
  "what names a resource",
  (house) => {
    let theirs: Furniture = {}
    let ours: { readonly workspace: Workspace; readonly ids: Furniture } | undefined
    beforeAll(async () => {
      const [workspace, other] = [await house.workspace(), await house.workspace()]
      theirs = await furnish(house, other)
      ours = { workspace, ids: await furnish(house, workspace) }
    })

    it("has a case here for every field of a body that is one", () => {
      assert.sameMembers(Object.keys(ofBodies), [...bodyReferences])
    })

    it("of another workspace is told as what never was, and the caller's own is taken (P166)", async () => {
      const { ids, workspace } = ours!
      for (const [what, [kind, send]] of Object.entries(all)) {
        const id = theirs[kind] ?? ""
        const foreign = await send(workspace.live, ids, id)
        const absent = await send(workspace.live, ids, unknownLike(id))
        assert.include([400, 404], foreign.status, `${what}: ${foreign.text}`)
        assert.deepStrictEqual(told(foreign, id), told(absent, unknownLike(id)), what)
        const own = await send(workspace.live, ids, ids[kind] ?? "")
        assert.notDeepEqual(told(own, ids[kind] ?? ""), told(foreign, id), what)
      }
    })

    it("is a 404 with its field when nothing has the id, and a 400 when it is a source or a reward (P940)", async () => {
      const { ids, workspace } = ours!
      for (const [what, [kind, send]] of Object.entries(found)) {
        const answer = await send(workspace.live, ids, unknownLike(ids[kind] ?? ""))
        assertRefused(answer, 404, "not_found_error", what.slice(what.indexOf(" ") + 1).replace(".[]", "[0]"))
      }
      for (const [kind, send, param] of Object.values(settings)) {
        assertInvalid(await send(workspace.live, ids, unknownLike(ids[kind] ?? "")), param)
      }
    })

    it("of the other mode is told as what never was (P166)", async () => {
      const { ids, workspace } = ours!
      for (const [what, [kind, send]] of Object.entries(ofBodies)) {
        const id = ids[kind] ?? ""
        const foreign = await send(workspace.test, ids, id)
        assert.include([400, 404], foreign.status, `${what}: ${foreign.text}`)
        assert.deepStrictEqual(
          told(foreign, id),
          told(await send(workspace.test, ids, unknownLike(id)), unknownLike(id)),
          what
        )
      }
    })

    it("in a filter finds nothing of another workspace", async () => {
      const { ids, workspace } = ours!
      const found = async (path: string, id: string | undefined) =>
        expectStatus(await workspace.live.get<ListOf<unknown>>(`${path}=${id}`), 200).data
      for (const [path, kind] of [
        ["/v1/distill/runs?dataset_version", "dataset_version_id"],
        ["/v1/distill/feedback?call_id", "call_id"]
      ] as const) {
        assert.isNotEmpty(await found(path, ids[kind]), path)
        assert.deepStrictEqual(await found(path, theirs[kind]), [], path)
      }
    })
  },
  { builtin: hasty }
)
