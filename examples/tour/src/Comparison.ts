/** Before and after: the same tickets, once sorted by the teacher and once under the student's alias. */
import { claim, expectPresent } from "./Claims.ts"
import type { DeployResult, Round } from "./Deploy.ts"
import { accuracyOf, percent, resultsOf } from "./Desk.ts"
import type { Report } from "./Wire.ts"

const millis = (value: number): string => `${value.toFixed(1)} ms`

/** Of the client's own clock, from request to answer. */
const meanOf = ({ sorted }: Round): number => sorted.reduce((sum, one) => sum + one.millis, 0) / sorted.length

const medianOf = ({ sorted }: Round): number => {
  const all = sorted.map((one) => one.millis).sort((a, b) => a - b)
  return all[Math.floor(all.length / 2)] ?? 0
}

/** For a thousand calls: the teacher's charge plus the cost of the student's machine. */
const costOf = ({ calls, sorted }: Round, { cost_per_1000_calls_usd }: Report): number => {
  const charged = calls.reduce((sum, { cost_usd }) => sum + (cost_usd ?? 0), 0)
  const each = expectPresent(cost_per_1000_calls_usd?.student, "What the student's answers cost") / 1_000
  return ((charged + each * resultsOf(sorted, "student").length) / sorted.length) * 1_000
}

const usd = (value: number): string => `$${value.toFixed(4)}`

export const rows = ({ active, shadow }: DeployResult, report: Report): ReadonlyArray<ReadonlyArray<string>> => {
  const [before, after] = [costOf(shadow, report), costOf(active, report)]
  claim(after < before, "The student ought to be cheaper")
  claim(accuracyOf(active.sorted) > accuracyOf(shadow.sorted) - 0.15, "The student ought to be about as good")
  const teachers = (round: Round) => String(round.sorted.length - resultsOf(round.sorted, "student").length)
  return [
    [`${shadow.sorted.length} new tickets`, "before: the teacher", "after: svc:desk"],
    ["sorted right", percent(accuracyOf(shadow.sorted)), percent(accuracyOf(active.sorted))],
    ["median latency", millis(medianOf(shadow)), millis(medianOf(active))],
    ["mean latency", millis(meanOf(shadow)), millis(meanOf(active))],
    ["cost of 1,000 calls", usd(before), usd(after)],
    ["calls of the teacher", teachers(shadow), teachers(active)]
  ]
}
