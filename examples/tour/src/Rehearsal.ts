/** From a version to the report of a rehearsed run: propose, run dry, watch, read; and the creation said twice. */
import type { Api } from "./Api.ts"
import { claim, claimEqual, expectPresent } from "./Claims.ts"
import { type ProgressPrinter, step } from "./Screen.ts"
import type { Logs, Metrics, Page, Proposal, Report, Run, Stage, Version } from "./Wire.ts"

const maxCostUsd = 1
const key = "tour-rehearsal"

const propose = async (api: Api, version: Version): Promise<Proposal> => {
  const body = {
    dataset_version: version.id,
    objective: "cost",
    max_cost_usd: maxCostUsd,
    outcome: "deployable_student"
  }
  const answer = await api.request<Proposal>("POST", "/v1/distill/recipes/propose", { body: JSON.stringify(body) })
  claimEqual(answer.status, 200, "The status of the proposal")
  claimEqual(answer.body.case, "classification", "The case that the rows are judged to be")
  claim(answer.body.estimate.cost_usd <= maxCostUsd, "The estimate ought to be within the budget")
  claim(/^[0-9a-f]{64}$/.test(answer.body.plan_hash), "The plan hash ought to be 64 hexadecimal characters")
  return answer.body
}

/** The executable part of the proposal, the same for rehearsal and live run. */
export const planOf = (version: Version, { rewards, stages, student_model }: Proposal) => ({
  name: "tour",
  dataset_version: version.id,
  recipe: { student_model, stages, rewards },
  budget: { max_cost_usd: maxCostUsd },
  compute: { profile: "local" }
})

const signs: Readonly<Record<string, string>> = { succeeded: "✓", running: "…", skipped: "–", pending: "·" }
export const timeline = (stages: ReadonlyArray<Stage>): string =>
  stages.map(({ kind, status }) => `${kind} ${signs[status] ?? "✗"}`).join("  ")

const isOver = ({ status }: Run): boolean => ["succeeded", "failed", "canceled"].includes(status)

export const watch = async (api: Api, created: Run, tell: ProgressPrinter): Promise<Run> => {
  const run = await api.pollUntil(
    "The run",
    async () => {
      const seen = await api.get<Run>(`/v1/distill/runs/${created.id}`)
      tell(timeline(seen.stages))
      return seen
    },
    isOver,
    60
  )
  claimEqual(run.status, "succeeded", `The status of the run (${run.error?.message ?? "no error"})`)
  return run
}

/** `publish`: how the last stage ends. */
export const checkStages = (run: Run, publish: "succeeded" | "skipped"): void => {
  const kinds = ["materialize", "sft", "grpo", "eval", "publish"]
  const expected = ["succeeded", "succeeded", "skipped", "succeeded", publish]
  claimEqual(
    run.stages.map(({ kind }) => kind),
    kinds,
    "The stages of the run"
  )
  claimEqual(
    run.stages.map(({ status }) => status),
    expected,
    "The statuses of the stages"
  )
}

const checkRehearsal = (run: Run, proposal: Proposal): void => {
  checkStages(run, "skipped")
  claimEqual(
    run.totals,
    { gpu_seconds: 0, judge_tokens: 0, candidate_tokens: 0, cost_usd: 0 },
    "What a rehearsal spends"
  )
  claimEqual(run.student_model, null, "The student of a rehearsal")
  claimEqual(run.plan_hash, proposal.plan_hash, "The plan hash of the run of a proposal")
}

const readRecords = async (api: Api, run: Run, proposal: Proposal): Promise<readonly [Report, string]> => {
  const report = await api.get<Report>(`/v1/distill/reports/${expectPresent(run.report, "The run's report")}`)
  claimEqual([report.status, report.run], ["ready", run.id], "The report")
  claimEqual(report.provenance.plan_hash, proposal.plan_hash, "The plan hash in the report")
  const logs = await api.get<Logs>(`/v1/distill/runs/${run.id}/logs`)
  claimEqual(
    logs.data.map(({ seq }) => seq),
    logs.data.map((_, index) => index + 1),
    "The numbers of the log lines"
  )
  claim(logs.data.length > 0, "The run ought to have logged")
  const { series } = await api.get<Metrics>(`/v1/distill/runs/${run.id}/metrics`)
  const loss = expectPresent(
    series.find(({ name, stage }) => name === "train_loss" && stage === 2),
    "The training loss"
  )
  const [first, last] = [loss.points.at(0)?.value ?? 0, loss.points.at(-1)?.value ?? 0]
  claim(last < first, "The training loss ought to fall")
  return [report, `${logs.data.length} log lines; ${loss.points.length} points of loss, ${first} to ${last}`]
}

/** The same key and bytes give the same answer, and no second run; other bytes are refused. */
const replay = async (api: Api, body: string, created: string): Promise<void> => {
  const again = await api.request<Run>("POST", "/v1/distill/runs", { body, key })
  claimEqual(again.status, 201, "The status of the replay")
  claimEqual(again.headers.get("idempotent-replayed"), "true", "Idempotent-Replayed")
  claim(again.text === created, "The replay ought to be the first answer, byte for byte")
  const other = await api.request<{ error: { code: string } }>("POST", "/v1/distill/runs", { body: `${body} `, key })
  claimEqual([other.status, other.body.error.code], [409, "idempotency_key_reused"], "The answer to other bytes")
  const { data } = await api.get<Page<Run>>("/v1/distill/runs")
  claimEqual(data.length, 1, "The number of runs")
}

export interface RehearsalResult {
  readonly proposal: Proposal
  readonly run: Run
  readonly report: Report
}

export const rehearse = async (api: Api, version: Version): Promise<RehearsalResult> => {
  const proposal = await step("Propose a recipe", async () => {
    const made = await propose(api, version)
    return [made, `${made.case}: ${made.stages.map(({ kind }) => kind).join(", ")} on ${made.student_model}`]
  })
  const body = JSON.stringify({ ...planOf(version, proposal), dry_run: true })
  const created = await step("Create a rehearsal", async () => {
    const answer = await api.request<Run>("POST", "/v1/distill/runs", { body, key })
    claimEqual(answer.status, 201, `The status of the creation (${answer.text.slice(0, 200)})`)
    claimEqual([answer.body.status, answer.body.dry_run], ["queued", true], "A new rehearsal")
    return [answer, answer.body.id]
  })
  const run = await step("Watch it", async (tell) => {
    const seen = await watch(api, created.body, tell)
    checkRehearsal(seen, proposal)
    return [seen, timeline(seen.stages)]
  })
  const report = await step("Read report, logs, metrics", () => readRecords(api, run, proposal))
  await step("Create it again, same key", async () => {
    await replay(api, body, created.text)
    return [undefined, "Idempotent-Replayed: true, the same run"]
  })
  return { proposal, run, report }
}
