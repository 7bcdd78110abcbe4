/** The rehearsed plan lived: a student is trained on this machine, published, and reported on. */
import type { Api } from "./Api.ts"
import { claim, claimEqual, expectPresent } from "./Claims.ts"
import { percent } from "./Desk.ts"
import { checkStages, planOf, type RehearsalResult, timeline, watch } from "./Rehearsal.ts"
import { step } from "./Screen.ts"
import type { Report, Run, Version } from "./Wire.ts"

export interface LiveRunResult {
  readonly run: Run
  readonly report: Report
  readonly student: string
}

const create = (api: Api, version: Version, { proposal, run }: RehearsalResult): Promise<Run> =>
  api.create<Run>(
    "/v1/distill/runs",
    {
      ...planOf(version, proposal),
      student_model_name: "desk",
      dry_run: false,
      validated_dry_run: run.id,
      plan_hash: run.plan_hash
    },
    "tour-live-run"
  )

const checkRun = (run: Run, rehearsed: RehearsalResult): void => {
  checkStages(run, "succeeded")
  claimEqual([run.dry_run, run.executor, run.validated_dry_run], [false, "builtin", rehearsed.run.id], "A live run")
  claimEqual(run.plan_hash, rehearsed.run.plan_hash, "The plan hash of the live run")
  claim(run.totals.cost_usd > 0, "A live run ought to cost something")
}

const read = async (api: Api, run: Run): Promise<Report> => {
  const report = await api.get<Report>(`/v1/distill/reports/${expectPresent(run.report, "The run's report")}`)
  claimEqual([report.status, report.run, report.student_model], ["ready", run.id, run.student_model], "The report")
  claim(
    (expectPresent(report.accuracy, "The student's accuracy").value ?? 0) > 0.5,
    "The student ought to have learnt something"
  )
  return report
}

const shown = ({ accuracy, evaluated_rows }: Report): string => {
  const { interval, value } = expectPresent(accuracy, "The student's accuracy")
  const between = interval === null ? "" : ` (${percent(interval.low)} to ${percent(interval.high)})`
  return `says what the teacher said on ${percent(value)}${between} of ${evaluated_rows} rows held back`
}

export const live = async (api: Api, version: Version, rehearsed: RehearsalResult): Promise<LiveRunResult> => {
  const run = await step("Run it live", async (tell) => {
    const seen = await watch(api, await create(api, version, rehearsed), tell)
    checkRun(seen, rehearsed)
    return [seen, `${timeline(seen.stages)}, for $${seen.totals.cost_usd}`]
  })
  const report = await step("Read its report", async () => {
    const ready = await read(api, run)
    return [ready, shown(ready)]
  })
  return { run, report, student: expectPresent(run.student_model, "The student") }
}
