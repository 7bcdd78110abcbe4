/** A workspace with one resource for every path parameter. */
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { announce, createRun, endedRun, readUntil, ticketsVersion } from "@limbeck/testing/http/Steps"
import { callOf, capture } from "./Captured.ts"
import { type Client, expectStatus, firstOf, type ListOf } from "./Client.ts"
import type { House, Workspace } from "./House.ts"
import { planOf } from "./LiveRuns.ts"

interface MadeResource {
  readonly id: string
}

/** The ids, by path parameter. */
export type Furniture = Readonly<Record<string, string>>

const made = async (caller: Client, path: string, body?: unknown) =>
  expectStatus(await caller.post<MadeResource>(path, body), 201).id

const newest = async (caller: Client, path: string) =>
  firstOf(expectStatus(await caller.get<ListOf<MadeResource>>(path), 200)).id

/** A run that published a student, and its report. */
const lived = async (live: Client, version: string) => {
  const { id } = expectStatus(await createRun(live, { ...planOf(version), dry_run: false }), 201)
  const run = await endedRun(live, id)
  if (run.report === null || run.student_model === null) throw new Error(`The run made nothing: ${JSON.stringify(run)}`)
  return { run_id: id, report_id: run.report, student_model_id: run.student_model }
}

/** An agent, a channel, and a conversation with a pending answer. */
const talking = async (live: Client, source: string) => {
  const agent_id = await made(live, "/v1/agents", { name: "a", source, model: "m" })
  const question = { text: "a", agent: agent_id, webhook: "https://receiver.example/chat" }
  const { conversation } = expectStatus(await live.post<{ readonly conversation: string }>("/v1/chat", question), 202)
  const channel_id = await made(live, "/v1/channels", { name: "a", kind: "api" })
  return { agent_id, channel_id, conversation_id: conversation }
}

/** An open invitation to the workspace. */
const invited = async (house: House, workspace: Workspace) =>
  made((await house.signedIn(workspace, "owner")).client, "/v1/people", { email: "guest@example.com", role: "viewer" })

/** In live mode. The house takes live runs of the builtin student. */
export const furnish = async (house: House, workspace: Workspace): Promise<Furniture> => {
  const { live } = workspace
  const webhook = { url: "https://receiver.example/hook", enabled_events: ["*"] }
  const webhook_endpoint_id = await made(live, "/v1/webhook_endpoints", webhook)
  const version = await ticketsVersion(live)
  const { report_id, run_id, student_model_id } = await lived(live, version.id)
  expectStatus(await live.post(`/v1/distill/reports/${report_id}/share`), 200)
  const connector = { name: "a", kind: "http_jsonl", config: { url: "https://127.0.0.1:1/rows.jsonl" } }
  const connector_id = await made(live, "/v1/distill/connectors", connector)
  const call = callOf(house)
  await capture(house, workspace, [call])
  const source = await createSource(live)
  const deployment = { alias: `desk-${workspace.id.slice(-6)}`, student_model: student_model_id, mode: "active" }
  await house.topUp(workspace, 1)
  await made(live, "/v1/distill/feedback", { call_id: call.id, name: "thumb", value: 1 })
  await readUntil(
    () => live.get<ListOf<MadeResource>>(`/v1/webhook_endpoints/${webhook_endpoint_id}/deliveries`),
    ({ data }) => data.length > 0
  )
  return {
    ...(await talking(live, source.id)),
    webhook_endpoint_id,
    run_id,
    report_id,
    student_model_id,
    connector_id,
    dataset_id: version.dataset,
    dataset_version_id: version.id,
    review_queue_id: await made(live, "/v1/distill/review_queues", { dataset_version: version.id, of: "holdout" }),
    call_id: call.id,
    source_id: source.id,
    model: `svc:${deployment.alias}`,
    loop_id: await made(live, "/v1/distill/loops", { name: "a" }),
    upload_id: (await announce(live)).id,
    reward_id: await made(live, "/v1/distill/rewards", { name: "a", kind: "exact_match", config: {} }),
    pull_id: await made(live, `/v1/distill/connectors/${connector_id}/pulls`),
    deployment_id: (await deployAndWait(live, deployment)).id,
    person_id: (await house.person(workspace, "viewer")).id,
    invitation_id: await invited(house, workspace),
    token_id: await newest(live, "/v1/tokens"),
    event_id: await newest(live, "/v1/events"),
    delivery_id: await newest(live, `/v1/webhook_endpoints/${webhook_endpoint_id}/deliveries`)
  }
}

/** An unused id of the same kind. */
export const unknownLike = (id: string): string => `${id.slice(0, id.search(/[_:]/) + 1)}${"0".repeat(26)}`

/** A path with these ids. */
export const pathWith = (template: string, ids: Furniture): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`No test furniture has ${name}: make one in support/Furnished.ts`)
    return id
  })
