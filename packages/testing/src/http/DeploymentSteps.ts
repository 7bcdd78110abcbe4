/** What tests of deployments begin with: students that live runs have published, and a source behind them. */
import type { Deployment, DeploymentWithFigures } from "@limbeck/api/DeploymentsApi"
import type { Event } from "@limbeck/api/EventsApi"
import { type Executor, Progress } from "@limbeck/distill/run/Executor"
import * as Stream from "effect/Stream"
import { type Client, expectStatus, type ListOf } from "./Client.ts"
import { create as createSource } from "./SourceSteps.ts"
import { createRun, endedRun, freshKey, readUntil, ticketsVersion } from "./Steps.ts"

export type DeploymentView = typeof Deployment.Type
export type DeploymentDetail = typeof DeploymentWithFigures.Type

export const path = "/v1/distill/deployments"

/** Publishes in no time a student whose artifact nobody can read. */
export const hasty: Executor = {
  name: "hasty",
  execute: ({ stage }) => {
    const artifact = { sha256: "ab".repeat(32), bytes: 10, format: "hasty/1" }
    const result = stage.kind === "publish" ? { artifact } : {}
    return Stream.succeed(Progress.Finished({ outcome: "succeeded", result }))
  }
}

export const llm = "Qwen/Qwen3-0.6B"
export const builtin = "builtin/text-classifier"

/** The id of a student of this base, published by a live run. */
export const studentOf = async (caller: Client, base: string, version: string, fields = {}): Promise<string> => {
  const stages = [
    { kind: "sft", config: {} },
    { kind: "publish", config: {} }
  ]
  const body = {
    dataset_version: version,
    recipe: { student_model: base, stages, rewards: [] },
    budget: { max_cost_usd: 5 },
    dry_run: false,
    ...fields
  }
  const run = await endedRun(caller, expectStatus(await createRun(caller, body), 201).id)
  if (run.student_model === null) throw new Error(`The run made no student: ${JSON.stringify(run)}`)
  return run.student_model
}

export const endpoint = { base_url: "https://students.example/v1", model: "student-1" }
export const apiKey = "sk-student-0123456789"

/** A workspace's source and two language models. */
export const scene = async (caller: Client) => {
  const { id: version } = await ticketsVersion(caller)
  const source = await createSource(caller)
  const students = [await studentOf(caller, llm, version), await studentOf(caller, llm, version)] as const
  return { source, version, students, fallback: { source: source.name, model: "gpt" } }
}

/** Without a guard by default: most tests' students have no evidence. */
export const post = (caller: Client, body: object, headers = freshKey()) =>
  caller.post<DeploymentDetail>(path, { guard: null, ...body }, headers)

export const create = async (caller: Client, body: object) => expectStatus(await post(caller, body), 201)

export const get = async (caller: Client, id: string) =>
  expectStatus(await caller.get<DeploymentDetail>(`${path}/${id}`), 200)

/** When its provisioning has come to an end. */
export const awaitProvisioned = (caller: Client, id: string) =>
  readUntil(
    () => caller.get<DeploymentDetail>(`${path}/${id}`),
    ({ status }) => status !== "provisioning"
  )

export const deployAndWait = async (caller: Client, body: object) =>
  awaitProvisioned(caller, (await create(caller, body)).id)

/** What events of deployments told, oldest first. */
export const deploymentEvents = async (caller: Client) => {
  const { data } = expectStatus(
    await caller.get<ListOf<typeof Event.Type>>("/v1/events?type=distill.deployment.*"),
    200
  )
  return data.toReversed().map((event) => ({ type: event.type, object: event.data.object }))
}
