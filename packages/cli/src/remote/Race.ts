/** `limbeck race`: asks hosted models about the holdout of a version, and shows which is the cheapest that is good enough. */
import type { Report, RunCreate } from "@limbeck/client"
import { CommandError } from "./CommandError.ts"
import type { Command } from "./Remote.ts"
import { follow } from "./Watch.ts"

export interface RaceOptions {
  readonly version: string
  /** Each `source/model`. */
  readonly candidates: ReadonlyArray<string>
  readonly maxCostUsd: number
}

/** The name of a model may hold slashes, that of a source none. */
const candidateOf = (text: string) => {
  const at = text.indexOf("/")
  if (at < 1 || at === text.length - 1) {
    throw new CommandError(`--candidates: ${text} is no source/model, such as openai/gpt-4.1-mini`)
  }
  return { source: text.slice(0, at), model: text.slice(at + 1) }
}

const dollars = (usd: number | null): string => (usd === null ? "no price" : `$${usd} for 1,000 calls`)

const lineOf = ({
  agreement,
  answered,
  cost_per_1000_calls_usd: cost,
  failed,
  model,
  source
}: Report["candidates"][number]) => {
  const agrees = agreement === null ? "not asked" : `agrees ${(100 * agreement.value).toFixed(1)} %`
  return `${source}/${model}: ${agrees}, ${dollars(cost)}, ${answered} answered, ${failed} failed`
}

/** With a test token the costs are estimated, and nobody is asked. */
export const race =
  ({ candidates, maxCostUsd, version }: RaceOptions): Command =>
  async (client, output) => {
    const config = { candidates: candidates.map(candidateOf) }
    const plan: RunCreate = {
      dataset_version: version,
      recipe: { student_model: "none", stages: [{ kind: "eval", config }], rewards: [] },
      budget: { max_cost_usd: maxCostUsd }
    }
    const { dry_run: isDry, id } = await client.runs.create(plan)
    output.note(`${id} ${isDry ? "estimates the candidates" : "asks the candidates"}`)
    const run = await follow(client, output, id)
    if (run.status !== "succeeded" || run.report === null) return 1
    const report = await client.reports.get(run.report)
    output.result(report, ...report.candidates.map(lineOf), report.summary)
    return 0
  }
