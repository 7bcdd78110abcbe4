/** `limbeck retrain`: trains the student behind an alias again, up to a challenger in shadow. */
import type { Client, Deployment } from "@limbeck/client"
import { CommandError } from "./CommandError.ts"
import type { Command } from "./Remote.ts"
import { assertLive } from "./Runs.ts"
import { follow } from "./Watch.ts"

export interface RetrainOptions {
  readonly alias: string
  /** By default the budget of the student's own run. */
  readonly maxCostUsd?: number | undefined
  /** Whether a run trains and spends; without it the training is rehearsed. */
  readonly isLive: boolean
}

/** The student that answers; else the one in shadow. */
const deploymentOf = async (client: Client, alias: string): Promise<Deployment> => {
  const { data } = await client.deployments.list({ alias, status: "ready" }).page()
  const found = data.find(({ mode }) => mode === "active") ?? data[0]
  if (found === undefined) throw new CommandError(`No deployment is ready under ${alias}`)
  return found
}

/** What the training would read and spend. */
const previewOf = async (client: Client, { alias, maxCostUsd }: RetrainOptions) => {
  const { id } = await deploymentOf(client, alias)
  const { figures, student_model: student } = await client.deployments.get(id)
  const { dataset_version: version, run } = await client.studentModels.get(student)
  if (run === null || version === null)
    throw new CommandError(`${student} was trained elsewhere: no run has its recipe`)
  const { rows } = await client.datasetVersions.get(version)
  const { budget } = await client.runs.get(run)
  const calls = Object.values(figures.calls).reduce((sum, count) => sum + count, 0)
  return {
    id,
    student,
    calls,
    answered: figures.calls.student,
    rows,
    version,
    budget: maxCostUsd ?? budget.max_cost_usd
  }
}

export const retrain =
  (options: RetrainOptions): Command =>
  async (client, output) => {
    if (options.isLive) await assertLive(client)
    const { answered, budget, calls, id, rows, student, version } = await previewOf(client, options)
    output.note(
      `${id} ${student}: ${calls} calls, ${answered} of them answered by the student and learnt where verified`
    )
    output.note(`with the ${rows} rows of ${version}; at most $${budget}; ends as a challenger in shadow`)
    const run = await client.deployments.retrain(id, { budget: { max_cost_usd: budget }, dry_run: !options.isLive })
    output.note(`${run.id} ${run.dry_run ? "rehearses" : "runs live"}`)
    const ended = await follow(client, output, run.id)
    if (ended.status !== "succeeded") return 1
    if (!ended.dry_run)
      output.result(ended, `student ${ended.student_model ?? "none"}, in shadow of svc:${options.alias}`)
    return 0
  }
