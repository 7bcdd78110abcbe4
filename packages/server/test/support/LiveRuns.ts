/** Plans of the builtin student over the support tickets: proposed, rehearsed, and run live. */
import type { DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { Proposal } from "@limbeck/api/RecipesApi"
import type { RewardCreated } from "@limbeck/api/RewardsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { type Ticket, tickets } from "@limbeck/testing/fixtures/Tickets"
import { builtin, studentOf } from "@limbeck/testing/http/DeploymentSteps"
import { createRun, endedRun, freshKey, versionOf } from "@limbeck/testing/http/Steps"
import { type Client, expectStatus, type ListOf } from "./Client.ts"

type RunView = typeof Run.Type
type Version = typeof DatasetVersion.Type

export const rewardOf = async (caller: Client, kind: string, config: unknown = {}) =>
  expectStatus(await caller.post<typeof RewardCreated.Type>("/v1/distill/rewards", { name: kind, kind, config }), 201)
    .id

/** Of that many tickets; a quarter of them is the holdout, for two hundred rows tell no two points apart. */
export const learnableVersion = (caller: Client, rows = 2_000) =>
  versionOf(caller, tickets({ rows, seed: 1 }), { holdout_fraction: 0.25, seed: 1 })

/** Everything that a plan hash covers. */
export interface Plan {
  readonly dataset_version: string
  readonly recipe: {
    readonly student_model: string
    readonly stages: ReadonlyArray<unknown>
    readonly rewards: unknown
  }
  readonly budget: { readonly max_cost_usd: number }
  readonly compute: { readonly profile: string }
}

export const planOf = (version: string, sft: unknown = {}, max_cost_usd = 1): Plan => ({
  dataset_version: version,
  recipe: {
    student_model: "builtin/text-classifier",
    stages: [
      { kind: "sft", config: sft },
      { kind: "eval", config: {} },
      { kind: "publish", config: {} }
    ],
    rewards: []
  },
  budget: { max_cost_usd },
  compute: { profile: "local" }
})

/** A student of the rows, evaluated on a quarter of them. */
export const evaluated = async (caller: Client, rows: ReadonlyArray<Ticket>) => {
  const { id } = await versionOf(caller, rows, { holdout_fraction: 0.25, seed: 1 })
  return studentOf(caller, builtin, id, { recipe: planOf(id).recipe })
}

/** The plan of a proposal for the version. */
export const proposedPlan = async (caller: Client, { id }: Version, rewards: ReadonlyArray<string>) => {
  const request = { dataset_version: id, objective: "cost", max_cost_usd: 1, rewards, outcome: "deployable_student" }
  const proposal = expectStatus(await caller.post<typeof Proposal.Type>("/v1/distill/recipes/propose", request), 200)
  const { compute, dataset_version, stages, student_model } = proposal
  const recipe = { student_model, stages, rewards: proposal.rewards }
  const plan: Plan = { dataset_version, recipe, budget: proposal.budget, compute: { profile: compute.profile } }
  return { proposal, plan }
}

export const rehearsed = async (caller: Client, plan: Plan): Promise<RunView> => {
  const { id } = expectStatus(await createRun(caller, { ...plan, dry_run: true }), 201)
  return endedRun(caller, id)
}

export const createLive = (caller: Client, plan: Plan, { id, plan_hash }: RunView, fields = {}) =>
  createRun(caller, { ...plan, dry_run: false, validated_dry_run: id, plan_hash, ...fields }, freshKey())

/** The ended live run of the rehearsed plan. */
export const livedRun = async (caller: Client, plan: Plan, fields = {}): Promise<RunView> => {
  const { id } = expectStatus(await createLive(caller, plan, await rehearsed(caller, plan), fields), 201)
  return endedRun(caller, id)
}

/** All of a list, newest first. */
export const wholeList = async <A>(caller: Client, path: string): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = `${path.includes("?") ? "&" : "?"}limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`
    const page: ListOf<A> = expectStatus(await caller.get<ListOf<A>>(path + query), 200)
    all.push(...page.data)
    cursor = page.next_cursor
  }
  return all
}

export const rowsOf = (caller: Client, { id }: Version, split: "train" | "holdout") =>
  wholeList<Ticket>(caller, `/v1/distill/dataset_versions/${id}/rows?split=${split}`)
