/** Who may do what, and who sees what (service-api 5; contract 2, 14.10). */
import { assert, it } from "@effect/vitest"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import { announce, createRun, dryRun, endedRun, ticketsVersion } from "@limbeck/testing/http/Steps"
import { type Answer, assertRefused, type Client, expectStatus, firstOf, type ListOf } from "./support/Client.ts"
import { operationOf, operations } from "./support/Document.ts"
import { onEachStorage, type Workspace } from "./support/House.ts"

/** Every private route, with the scope that service-api 4 and contract 2 and 4 give it. */
const routes = [
  ["POST", "/v1/tokens", "tokens:write"],
  ["GET", "/v1/tokens", "tokens:read"],
  ["GET", "/v1/tokens/tok_none", "tokens:read"],
  ["DELETE", "/v1/tokens/tok_none", "tokens:write"],
  ["POST", "/v1/tokens/tok_none/rotate", "tokens:write"],
  ["POST", "/v1/sources", "sources:write"],
  ["GET", "/v1/sources", "sources:read"],
  ["GET", "/v1/sources/src_none", "sources:read"],
  ["PATCH", "/v1/sources/src_none", "sources:write"],
  ["DELETE", "/v1/sources/src_none", "sources:write"],
  ["POST", "/v1/sources/src_none/verify", "sources:write"],
  ["GET", "/v1/models", "sources:read"],
  ["POST", "/v1/proxy/chat/completions", "proxy:write"],
  ["POST", "/v1/proxy/embeddings", "proxy:write"],
  ["POST", "/v1/proxy/responses", "proxy:write"],
  ["GET", "/v1/proxy/models", "proxy:write"],
  ["GET", "/v1/distill/calls", "distill:read"],
  ["GET", "/v1/distill/calls/call_none", "distill:read"],
  ["DELETE", "/v1/distill/calls/call_none", "distill:write"],
  ["POST", "/v1/distill/feedback", "distill:write"],
  ["GET", "/v1/distill/feedback", "distill:read"],
  ["POST", "/v1/distill/loops", "distill:write"],
  ["GET", "/v1/distill/loops", "distill:read"],
  ["GET", "/v1/distill/loops/loop_none", "distill:read"],
  ["PATCH", "/v1/distill/loops/loop_none", "distill:write"],
  ["POST", "/v1/distill/connectors", "distill:write"],
  ["GET", "/v1/distill/connectors", "distill:read"],
  ["GET", "/v1/distill/connectors/con_none", "distill:read"],
  ["PATCH", "/v1/distill/connectors/con_none", "distill:write"],
  ["DELETE", "/v1/distill/connectors/con_none", "distill:write"],
  ["POST", "/v1/distill/connectors/con_none/pulls", "distill:write"],
  ["GET", "/v1/distill/pulls", "distill:read"],
  ["GET", "/v1/distill/pulls/pull_none", "distill:read"],
  ["POST", "/v1/distill/uploads", "distill:write"],
  ["GET", "/v1/distill/uploads", "distill:read"],
  ["GET", "/v1/distill/uploads/upl_none", "distill:read"],
  ["PUT", "/v1/distill/uploads/upl_none/content", "distill:write"],
  ["HEAD", "/v1/distill/uploads/upl_none/content", "distill:write"],
  ["POST", "/v1/distill/datasets", "distill:write"],
  ["GET", "/v1/distill/datasets", "distill:read"],
  ["GET", "/v1/distill/datasets/ds_none", "distill:read"],
  ["POST", "/v1/distill/datasets/ds_none/versions", "distill:write"],
  ["GET", "/v1/distill/datasets/ds_none/versions", "distill:read"],
  ["GET", "/v1/distill/dataset_versions/dsv_none", "distill:read"],
  ["GET", "/v1/distill/dataset_versions/dsv_none/rows", "distill:read"],
  ["GET", "/v1/distill/dataset_versions/dsv_none/export", "distill:read"],
  ["POST", "/v1/distill/rewards", "distill:write"],
  ["GET", "/v1/distill/rewards", "distill:read"],
  ["GET", "/v1/distill/rewards/rwd_none", "distill:read"],
  ["POST", "/v1/distill/rewards/rwd_none/score", "distill:write"],
  ["POST", "/v1/distill/recipes/propose", "distill:read"],
  ["GET", "/v1/distill/student_catalog", "distill:read"],
  ["GET", "/v1/distill/compute_profiles", "distill:read"],
  ["POST", "/v1/distill/runs", "distill:write"],
  ["GET", "/v1/distill/runs", "distill:read"],
  ["GET", "/v1/distill/runs/run_none", "distill:read"],
  ["GET", "/v1/distill/runs/run_none/metrics", "distill:read"],
  ["GET", "/v1/distill/runs/run_none/logs", "distill:read"],
  ["GET", "/v1/distill/runs/run_none/stream", "distill:read"],
  ["POST", "/v1/distill/runs/run_none/cancel", "distill:write"],
  ["POST", "/v1/distill/runs/run_none/retry", "distill:write"],
  ["GET", "/v1/distill/reports", "distill:read"],
  ["GET", "/v1/distill/reports/rpt_none", "distill:read"],
  ["POST", "/v1/distill/reports/rpt_none/share", "distill:write"],
  ["DELETE", "/v1/distill/reports/rpt_none/share", "distill:write"],
  ["GET", "/v1/distill/student_models", "distill:read"],
  ["GET", "/v1/distill/student_models/stu_none", "distill:read"],
  ["POST", "/v1/distill/deployments", "distill:write"],
  ["GET", "/v1/distill/deployments", "distill:read"],
  ["GET", "/v1/distill/deployments/dep_none", "distill:read"],
  ["PATCH", "/v1/distill/deployments/dep_none", "distill:write"],
  ["POST", "/v1/distill/deployments/dep_none/rollback", "distill:write"],
  ["POST", "/v1/distill/deployments/dep_none/retire", "distill:write"],
  ["POST", "/v1/chat", "conversations:write"],
  ["POST", "/v1/agents", "agents:write"],
  ["GET", "/v1/agents", "agents:read"],
  ["GET", "/v1/agents/agt_none", "agents:read"],
  ["PATCH", "/v1/agents/agt_none", "agents:write"],
  ["DELETE", "/v1/agents/agt_none", "agents:write"],
  ["GET", "/v1/conversations", "conversations:read"],
  ["GET", "/v1/conversations/conv_none", "conversations:read"],
  ["GET", "/v1/conversations/conv_none/messages", "conversations:read"],
  ["GET", "/v1/events", "events:read"],
  ["GET", "/v1/events/evt_none", "events:read"],
  ["POST", "/v1/webhook_endpoints", "webhooks:write"],
  ["GET", "/v1/webhook_endpoints", "webhooks:read"],
  ["GET", "/v1/webhook_endpoints/wh_none", "webhooks:read"],
  ["PATCH", "/v1/webhook_endpoints/wh_none", "webhooks:write"],
  ["DELETE", "/v1/webhook_endpoints/wh_none", "webhooks:write"],
  ["GET", "/v1/webhook_endpoints/wh_none/deliveries", "webhooks:read"],
  ["GET", "/v1/webhook_endpoints/wh_none/deliveries/del_none", "webhooks:read"],
  ["POST", "/v1/webhook_endpoints/wh_none/rotate_secret", "webhooks:write"],
  ["POST", "/v1/webhook_endpoints/wh_none/ping", "webhooks:write"],
  ["POST", "/v1/webhook_endpoints/wh_none/recover", "webhooks:write"],
  ["POST", "/v1/webhook_endpoints/wh_none/deliveries/del_none/redeliver", "webhooks:write"]
] as const

const groups = ["distill", "events", "webhooks", "tokens", "workspace", "sources", "agents", "conversations"]
const held = [...groups.flatMap((group) => [`${group}:read`, `${group}:write`]), "proxy:write"]

/** An answer to HEAD has no envelope. */
const refused = (method: string, answer: Answer<unknown>, status: number, code: string) =>
  method === "HEAD" ? assert.strictEqual(answer.status, status) : assertRefused(answer, status, code)

onEachStorage("scopes", (house) => {
  const withScopes = async ({ live }: Workspace, scopes: ReadonlyArray<string>) =>
    house.client(
      expectStatus(await live.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "a", scopes }), 201).secret
    )

  it("the table above names every private operation of the document, with the scopes that it says", () => {
    const table = routes.map(([method, path, scope]) => {
      const found = operationOf(method, path)
      assert.deepStrictEqual(found?.operation["x-service-scopes"], [scope], path)
      return found?.operation.operationId
    })
    const scoped = operations.filter((operation) => operation["x-service-scopes"].length > 0)
    assert.sameMembers(
      table,
      scoped.map(({ operationId }) => operationId)
    )
  })

  it("each route takes its own scope, and nothing less (P38)", async () => {
    const workspace = await house.workspace()
    const holders = new Map<string, Client>()
    const lackers = new Map<string, Client>()
    for (const scope of held) {
      holders.set(scope, await withScopes(workspace, [scope]))
      lackers.set(
        scope,
        await withScopes(
          workspace,
          held.filter((one) => one !== scope)
        )
      )
    }
    for (const [method, path, scope] of routes) {
      refused(method, await lackers.get(scope)!.send(method, path), 403, "permission_error")
      const { status } = await holders.get(scope)!.send(method, path)
      assert.include([200, 400, 404], status, `${method} ${path} with ${scope}`)
      refused(method, await house.client(null).send(method, path), 401, "authentication_error")
    }
  })

  it("any valid token may ask who it is", async () => {
    const answer = await (await withScopes(await house.workspace(), ["proxy:write"])).get("/v1/whoami")
    assert.strictEqual(answer.status, 200)
  })

  it("what is for people is refused to every token", async () => {
    const { live, test } = await house.workspace()
    for (const path of ["/v1/workspaces", "/v1/billing/top_ups"]) {
      for (const caller of [live, test]) {
        assertRefused(await caller.post(path, {}), 403, "permission_error")
        assertRefused(await caller.post(path), 403, "permission_error")
      }
      assertRefused(await house.client(null).post(path, {}), 401, "authentication_error")
    }
  })
})

onEachStorage("partitions", (house) => {
  /** One of everything that has an id, by its path. */
  const furnish = async ({ live }: Workspace) => {
    const version = await ticketsVersion(live)
    const { id: run } = expectStatus(await createRun(live, dryRun(version.id)), 201)
    const { report } = await endedRun(live, run)
    const upload = await announce(live)
    const made = async (path: string, body?: unknown) =>
      expectStatus(await live.post<{ readonly id: string }>(`/v1/distill/${path}`, body), 201).id
    const loop = await made("loops", { name: "a" })
    const config = { url: "https://127.0.0.1:1/rows.jsonl" }
    const connector = await made("connectors", { name: "a", kind: "http_jsonl", config })
    const pull = await made(`connectors/${connector}/pulls`)
    const endpoint = { url: "https://receiver.example/hook", enabled_events: ["*"] }
    const { id: webhook } = (await live.post<{ readonly id: string }>("/v1/webhook_endpoints", endpoint)).body
    const source = { name: "upstream", kind: "byok", base_url: "https://upstream.example/v1" }
    const { id: upstream } = (await live.post<{ readonly id: string }>("/v1/sources", source)).body
    const { id: token } = firstOf((await live.get<ListOf<{ readonly id: string }>>("/v1/tokens")).body)
    const { id: event } = firstOf((await live.get<ListOf<{ readonly id: string }>>("/v1/events")).body)
    return [
      ["GET", `/v1/tokens/${token}`],
      ["POST", `/v1/tokens/${token}/rotate`],
      ["DELETE", `/v1/tokens/${token}`],
      ["GET", `/v1/sources/${upstream}`],
      ["POST", `/v1/sources/${upstream}/verify`],
      ["DELETE", `/v1/sources/${upstream}`],
      ["GET", `/v1/distill/loops/${loop}`],
      ["GET", `/v1/distill/connectors/${connector}`],
      ["POST", `/v1/distill/connectors/${connector}/pulls`],
      ["GET", `/v1/distill/pulls/${pull}`],
      ["DELETE", `/v1/distill/connectors/${connector}`],
      ["GET", `/v1/distill/uploads/${upload.id}`],
      ["GET", `/v1/distill/datasets/${version.dataset}`],
      ["GET", `/v1/distill/datasets/${version.dataset}/versions`],
      ["GET", `/v1/distill/dataset_versions/${version.id}`],
      ["GET", `/v1/distill/dataset_versions/${version.id}/rows`],
      ["GET", `/v1/distill/dataset_versions/${version.id}/export`],
      ["GET", `/v1/distill/runs/${run}`],
      ["GET", `/v1/distill/runs/${run}/metrics`],
      ["GET", `/v1/distill/runs/${run}/logs`],
      ["GET", `/v1/distill/runs/${run}/stream`],
      ["POST", `/v1/distill/runs/${run}/cancel`],
      ["POST", `/v1/distill/runs/${run}/retry`],
      ["GET", `/v1/distill/reports/${report}`],
      ["POST", `/v1/distill/reports/${report}/share`],
      ["DELETE", `/v1/distill/reports/${report}/share`],
      ["GET", `/v1/events/${event}`],
      ["GET", `/v1/webhook_endpoints/${webhook}`],
      ["GET", `/v1/webhook_endpoints/${webhook}/deliveries`],
      ["DELETE", `/v1/webhook_endpoints/${webhook}`]
    ] as const
  }

  const told = (text: string, id: string) => text.replace(/req_\w{26}/, "").replaceAll(id, "(id)")

  it("what another mode or workspace has is a 404 that tells nothing (P38)", async () => {
    const [workspace, other] = [await house.workspace(), await house.workspace()]
    for (const [method, path] of await furnish(workspace)) {
      const id = path.split("/").find((part) => /^[a-z]+_\w{26}$/.test(part))!
      const unknown = `${id.slice(0, id.indexOf("_") + 1)}${"0".repeat(26)}`
      for (const caller of [workspace.test, other.live, other.test]) {
        const foreign = await caller.send(method, path)
        assertRefused(foreign, 404, "not_found_error")
        const absent = await caller.send(method, path.replace(id, unknown))
        assert.strictEqual(told(foreign.text, id), told(absent.text, unknown))
      }
      if (method === "GET") assert.strictEqual((await workspace.live.get(path)).status, 200, path)
    }
  })

  it("lists show the caller's mode and workspace alone, whatever the query says", async () => {
    const [workspace, other] = [await house.workspace(), await house.workspace()]
    await furnish(workspace)
    for (const path of ["loops", "connectors", "pulls", "uploads", "datasets", "runs", "reports"].map(
      (name) => `/v1/distill/${name}`
    )) {
      assert.isAtLeast((await workspace.live.get<ListOf<unknown>>(path)).body.data.length, 1, path)
      for (const caller of [workspace.test.with({ "service-mode": "live" }), other.live]) {
        assert.deepStrictEqual((await caller.get<ListOf<unknown>>(`${path}?livemode=true`)).body.data, [])
      }
    }
    for (const path of ["/v1/events", "/v1/events?order=asc", "/v1/webhook_endpoints", "/v1/sources"]) {
      assert.isAtLeast((await workspace.live.get<ListOf<unknown>>(path)).body.data.length, 1, path)
      assert.deepStrictEqual((await workspace.test.get<ListOf<unknown>>(path)).body.data, [])
    }
  })
})
