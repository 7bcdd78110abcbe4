/**
 * A body, a header or a query that names a resource of another mode or workspace is answered as if there were none (contract 2).
 * The contract's own definitions say which fields of bodies name one, so a new field is missed here until it has its case.
 */
import { assert, beforeAll, it } from "@effect/vitest"
import { hasty } from "@limbeck/testing/http/DeploymentSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import type { Answer, Client, ListOf } from "./support/Client.ts"
import { expectStatus } from "./support/Client.ts"
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

/** By operation and field, as the definitions name them. */
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
  "createStudentModel artifact.upload": [
    "upload_id",
    post("/v1/distill/student_models", (_, upload) => ({
      name: "a",
      base_model: "m",
      artifact: { upload, sha256: "0".repeat(64) }
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
  ]
}

/** What takes a name as well as an id, or a list of ids, or is no body. */
const others: Readonly<Record<string, Case>> = {
  "rewards of a recipe": ["reward_id", post(runs, (own, id) => run(own, recipe({ rewards: [id] })))],
  "rewards of eval": [
    "reward_id",
    post(runs, (own, id) =>
      run(own, recipe({ stages: [sft, { kind: "eval", config: { rewards: [id] } }], rewards: [id] }))
    )
  ],
  "rewards of a proposal": [
    "reward_id",
    post("/v1/distill/recipes/propose", (own, id) => ({
      dataset_version: own["dataset_version_id"],
      objective: "cost",
      max_cost_usd: 1,
      rewards: [id]
    }))
  ],
  "the source of a fallback": [
    "source_id",
    post("/v1/distill/deployments", (own, source) =>
      deployment({ student_model: own["student_model_id"], fallback: { source, model: "m" } })
    )
  ],
  "the source of a judge": [
    "source_id",
    post("/v1/distill/rewards", (_, source) => ({
      name: "a",
      kind: "llm_judge",
      config: { rubric: "Is it right?", model: "m", scale: { min: 0, max: 1 }, source }
    }))
  ],
  "the source of an agent": ["source_id", post("/v1/agents", (_, source) => ({ name: "a", source, model: "m" }))],
  "the agent of a channel": ["agent_id", post("/v1/channels", (_, agent) => ({ name: "a", kind: "api", agent }))],
  "the agent of a question": ["agent_id", post("/v1/chat", (_, agent) => ({ ...question, agent }))],
  "the channel of a question": [
    "channel_id",
    post("/v1/chat", (own, channel) => ({ ...question, channel, agent: own["agent_id"] }))
  ],
  "the conversation of a question": [
    "conversation_id",
    post("/v1/chat", (own, conversation) => ({ ...question, conversation, agent: own["agent_id"] }))
  ],
  "the source of a call": [
    "source_id",
    (caller, _, id) =>
      caller.post("/v1/proxy/chat/completions", { model: "m", messages: [] }, { "x-service-source": id })
  ]
}

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
      for (const [what, [kind, send]] of Object.entries({ ...ofBodies, ...others })) {
        const id = theirs[kind] ?? ""
        const foreign = await send(workspace.live, ids, id)
        const absent = await send(workspace.live, ids, unknownLike(id))
        assert.include([400, 404], foreign.status, `${what}: ${foreign.text}`)
        assert.deepStrictEqual(told(foreign, id), told(absent, unknownLike(id)), what)
        const own = await send(workspace.live, ids, ids[kind] ?? "")
        assert.notDeepEqual(told(own, ids[kind] ?? ""), told(foreign, id), what)
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
