/**
 * Every creation with an idempotency key, with the connection to Postgres cut at each of its round trips in turn: before the
 * packet goes out, and with the answer lost. The client tries again under its key, and finds one resource with one event.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Database from "@limbeck/testing/database/Database"
import * as Wire from "@limbeck/testing/database/Wire"
import { eventually } from "@limbeck/testing/Eventually"
import { endpoint, hasty } from "@limbeck/testing/http/DeploymentSteps"
import { type Answer, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { everyOperation } from "./support/Document.ts"
import { type Furniture, furnish, pathWith } from "./support/Furnished.ts"
import { House } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"

interface Creation {
  readonly list: string
  /** A valid body for the creation of this number. */
  readonly body: (ids: Furniture, number: number) => unknown
}

const creation = (list: string, body: Creation["body"]): Creation => ({ list, body })

const named = (_: Furniture, number: number) => ({ name: `made ${number}` })

const creations: Readonly<Record<string, Creation>> = {
  createToken: creation("/v1/tokens", (_, number) => ({ name: `made ${number}`, scopes: ["distill:read"] })),
  createSource: creation("/v1/sources", (_, number) => ({
    name: `made-${number}`,
    kind: "byok",
    base_url: "https://upstream.example/v1",
    api_key: "sk-0123456789"
  })),
  createFeedback: creation("/v1/distill/feedback", ({ call_id }, number) => ({
    call_id,
    name: `n${number}`,
    value: 1
  })),
  createLoop: creation("/v1/distill/loops", named),
  createUpload: creation("/v1/distill/uploads", () => ({ filename: "rows.jsonl", format: "chat_jsonl" })),
  createConnector: creation("/v1/distill/connectors", (_, number) => ({
    name: `made ${number}`,
    kind: "http_jsonl",
    config: { url: "https://127.0.0.1:1/rows.jsonl" }
  })),
  createPull: creation("/v1/distill/pulls", () => undefined),
  createDataset: creation("/v1/distill/datasets", named),
  createDatasetVersion: creation("/v1/distill/datasets/{dataset_id}/versions", ({ dataset_version_id }) => ({
    from: { versions: [dataset_version_id] }
  })),
  createReward: creation("/v1/distill/rewards", (_, number) => ({
    name: `m${number}`,
    kind: "exact_match",
    config: {}
  })),
  createRun: creation("/v1/distill/runs", ({ dataset_version_id = "" }) => ({
    ...planOf(dataset_version_id),
    dry_run: true
  })),
  createStudentModel: creation("/v1/distill/student_models", (_, number) => ({
    name: `made ${number}`,
    base_model: "m",
    endpoint
  })),
  createDeployment: creation("/v1/distill/deployments", ({ student_model_id }, number) => ({
    alias: `made-${number}`,
    student_model: student_model_id,
    mode: "active",
    guard: null
  })),
  createReviewQueue: creation("/v1/distill/review_queues", ({ dataset_version_id }) => ({
    dataset_version: dataset_version_id,
    of: "holdout"
  })),
  sendMessage: creation("/v1/conversations", ({ agent_id }) => ({
    text: "a",
    agent: agent_id,
    webhook: "https://receiver.example/chat"
  })),
  createAgent: creation("/v1/agents", named),
  createChannel: creation("/v1/channels", (_, number) => ({ name: `made ${number}`, kind: "api" })),
  createWebhookEndpoint: creation("/v1/webhook_endpoints", () => ({
    url: "https://receiver.example/hook",
    enabled_events: ["distill.run.succeeded"]
  }))
}

/** What takes a key and creates no resource of a list: it changes a resource, or computes an answer. */
const changes = [
  "rotateToken",
  "verifySource",
  "scoreCompletion",
  "proposeRecipe",
  "cancelRun",
  "retryRun",
  "shareReport",
  "rollbackDeployment",
  "acceptDeploymentDrift",
  "retrainDeployment",
  "retireDeployment",
  "leaseReviewEntry",
  "giveReviewVerdict",
  "undoReviewVerdict",
  "rotateWebhookSecret",
  "pingWebhookEndpoint",
  "recoverWebhookDeliveries",
  "redeliverWebhookDelivery",
  // The sandbox's conversations are those of `sendMessage`; the others take sessions or the host alone.
  "sendSandboxMessage",
  "createWorkspace",
  "createTopUp",
  "addPerson",
  "createAssistantConversation",
  "createAssistantMessage"
]

const keyed = everyOperation.filter(({ operation }) =>
  operation.parameters.some(({ name }) => name === "Idempotency-Key")
)

interface Identified {
  readonly id: string
}

interface Told extends Identified {
  readonly type: string
  readonly data: { readonly object: Identified }
}

const newestOf = async <A extends Identified>(caller: Client, list: string): Promise<ReadonlyArray<A>> =>
  expectStatus(await caller.get<ListOf<A>>(`${list}${list.includes("?") ? "&" : "?"}limit=100`), 200).data

/** Whether the same request has to be sent again. */
const isOpen = ({ status, text }: Answer<unknown>): boolean =>
  status === 503 || (status === 409 && text.includes("idempotency_key_in_flight"))

describe("a creation whose connection to Postgres is cut", () => {
  const house = new House()
  const ends: Array<() => unknown> = []
  let wire: Awaited<ReturnType<typeof Wire.open>>
  let caller: Client
  let ids: Furniture
  let numbers = 0
  beforeAll(async () => {
    wire = await Wire.open((end) => ends.push(end), new URL(Database.url))
    await house.open(
      Database.storageOn(({ schema }) => StoragePostgres.layer({ url: wire.url, schema })),
      { builtin: hasty }
    )
    const workspace = await house.workspace()
    caller = workspace.live
    ids = await furnish(house, workspace)
  })
  afterAll(async () => {
    await house.close()
    for (const end of ends) await end()
  })

  it("has a case for every operation that takes a key", () => {
    const names = keyed.map(({ operation }) => operation.operationId)
    assert.sameMembers([...Object.keys(creations), ...changes], names)
  })

  /** Creates while the connection of one trip is cut, then tries again; returns whether a trip met the cut. */
  const cutAt = async (path: string, { body, list }: Creation, skipped: number, side: Wire.Cut) => {
    const number = ++numbers
    const before = await newestOf(caller, list)
    const send = () => caller.post<Identified>(path, body(ids, number), { "idempotency-key": `cut-${number}` })
    wire.cutAfter(skipped, side)
    const first = await send()
    const wasCut = !wire.isUncut()
    const last = isOpen(first)
      ? await eventually("the creation is done", async () => {
          const again = await send()
          return !isOpen(again) && again
        })
      : first
    assert.include([201, 202], last.status, last.text)
    assert.strictEqual((await send()).text, last.text)
    const known = new Set(before.map(({ id }) => id))
    const made = (await newestOf(caller, list)).filter(({ id }) => !known.has(id))
    assert.lengthOf(made, 1, `${path}, cut after ${skipped} trips: ${side}`)
    const told = await newestOf<Told>(caller, "/v1/events")
    const births = told.filter(({ data, type }) => data.object.id === made[0]?.id && type.endsWith(".created"))
    assert.isAtMost(births.length, 1, births.map(({ type }) => type).join())
    return wasCut
  }

  const enumerated = keyed.filter(({ operation: { operationId } }) => creations[operationId] !== undefined)
  for (const { operation, path } of enumerated) {
    for (const side of ["packet", "answer"] as const) {
      it(`is done once: ${operation.operationId}, each ${side} lost in turn (P1853)`, async () => {
        const one = creations[operation.operationId] as Creation // It was filtered so.
        const at = { ...one, list: pathWith(one.list, ids) }
        let skipped = 0
        while (await cutAt(pathWith(path, ids), at, skipped, side)) skipped++
        // A creation commits, so that there is a trip to cut.
        assert.isAbove(skipped, 0)
      })
    }
  }
})
