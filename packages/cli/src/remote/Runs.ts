/** `limbeck propose` and `limbeck run`: from a version to a proposal, its rehearsal, and the run itself. */
import type { Client, Proposal, Run, RunCreate } from "@limbeck/client"
import type { Output } from "../Output.ts"
import { CommandError } from "./CommandError.ts"
import type { Command } from "./Remote.ts"
import { follow } from "./Watch.ts"

export interface Plan {
  readonly version: string
  readonly objective: "cost" | "quality" | "latency"
  readonly maxCostUsd: number
}

export interface RunOptions extends Plan {
  /** What the student is called. */
  readonly name?: string | undefined
  /** Whether the rehearsal is followed by a live run. */
  readonly isLive: boolean
}

const proposalOf = (client: Client, { maxCostUsd, objective, version }: Plan): Promise<Proposal> =>
  client.recipes.propose({ dataset_version: version, objective, max_cost_usd: maxCostUsd })

const linesOf = ({ case: kind, estimate, rationale, stages, student_model: student }: Proposal) => [
  `${kind}: ${student}, ${stages.map((stage) => stage.kind).join(" > ")}`,
  `estimated: $${estimate.cost_usd}, ${estimate.gpu_seconds} s of the machine, ${estimate.wall_clock_minutes} min`,
  ...rationale
]

export const propose =
  (plan: Plan): Command =>
  async (client, output) => {
    const proposal = await proposalOf(client, plan)
    output.result(proposal, ...linesOf(proposal))
    return 0
  }

const planOf = ({ compute, rewards, stages, student_model: student }: Proposal, options: RunOptions): RunCreate => ({
  dataset_version: options.version,
  recipe: { student_model: student, stages, rewards },
  budget: { max_cost_usd: options.maxCostUsd },
  compute: { profile: compute.profile },
  ...(options.name === undefined ? {} : { name: options.name, student_model_name: options.name })
})

const followedFrom = async (client: Client, output: Output, plan: RunCreate): Promise<Run> => {
  const { dry_run: isDry, id } = await client.runs.create(plan)
  output.note(`${id} ${isDry ? "rehearses" : "runs live"}`)
  return follow(client, output, id)
}

/** In test mode a live run would be another rehearsal. */
export const assertLive = async (client: Client): Promise<void> => {
  const { credential } = await client.whoami()
  if (credential.environment === "live") return
  throw new CommandError(
    "--live: LIMBECK_TOKEN is a test token, with which everything is rehearsed; take a live one, and rows that were sent with it"
  )
}

export const run =
  (options: RunOptions): Command =>
  async (client, output) => {
    if (options.isLive) await assertLive(client)
    const plan = planOf(await proposalOf(client, options), options)
    const rehearsal = await followedFrom(client, output, { ...plan, dry_run: true })
    if (rehearsal.status !== "succeeded") return 1
    if (!options.isLive) return 0
    const validated = { validated_dry_run: rehearsal.id, plan_hash: rehearsal.plan_hash }
    const live = await followedFrom(client, output, { ...plan, dry_run: false, ...validated })
    if (live.status !== "succeeded") return 1
    output.result(live, `student ${live.student_model ?? "none"}, report ${live.report ?? "none"}`)
    return 0
  }
