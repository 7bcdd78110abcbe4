/** `limbeck watch`: tells the states, metrics and logs of a run as they come, until it has ended. */
import type { Client, Run, ServerEvent } from "@limbeck/client"
import type { Output } from "../Output.ts"
import type { Command } from "./Remote.ts"

const stateOf = ({ budget, stages, status, totals }: Run): string => {
  const done = stages.filter((stage) => stage.status === "succeeded").length
  const stage = stages.find((one) => one.status === "running")
  const place = stage === undefined ? "" : ` ${stage.kind}`
  const planned = stages.filter((one) => one.status !== "skipped").length
  return `${status} ${done}/${planned}${place}, $${totals.cost_usd} of $${budget.max_cost_usd}`
}

/** Metrics and logs are told as the stream has them (docs/api.md). */
const lineOf = ({ data, event }: ServerEvent): string => {
  // The document says what each event holds.
  if (event === "state") return stateOf(data as Run)
  if (event === "metric") {
    const { name, step, value } = data as { readonly name: string; readonly step: number; readonly value: number }
    return `  ${name} ${step}: ${value}`
  }
  return `  ${(data as { readonly message: string }).message}`
}

/** The run as it ended. */
export const followed = async (client: Client, output: Output, id: string): Promise<Run> => {
  for await (const event of client.runs.stream(id)) output.result(event, lineOf(event))
  const run = await client.runs.get(id)
  if (run.error !== null) output.note(`${run.error.code}: ${run.error.message}`)
  return run
}

export const watch =
  (id: string): Command =>
  async (client, output) =>
    (await followed(client, output, id)).status === "succeeded" ? 0 : 1
