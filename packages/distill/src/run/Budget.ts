/**
 * Spending under a hard budget (contract 5). Spending is reserved before and counted after; `reserved + spent` never
 * exceeds the budget. A stage reports totals since its beginning, not increments: a repeated report counts once.
 */
import type { Run, RunStage, Usage } from "./Run.ts"

export const noUsage = { gpuSeconds: 0, judgeTokens: 0 } as const satisfies Usage

type OptionalUsage = Exclude<keyof Usage, keyof typeof noUsage>

/** Each member at its larger value; an optional one is left out at 0. */
export const most = (a: Usage, b: Usage): Usage => {
  const optional = (name: OptionalUsage) => {
    const value = Math.max(a[name] ?? 0, b[name] ?? 0)
    return value === 0 ? {} : { [name]: value }
  }
  return {
    gpuSeconds: Math.max(a.gpuSeconds, b.gpuSeconds),
    judgeTokens: Math.max(a.judgeTokens, b.judgeTokens),
    ...optional("studentMicros"),
    ...optional("candidateTokens"),
    ...optional("candidateMicros")
  }
}

/** Whole micro-dollars, rounded up. */
export const costOf = ({ microsPerGpuSecond, microsPerMillionJudgeTokens }: Run["prices"], usage: Usage): number =>
  Math.ceil(usage.gpuSeconds * microsPerGpuSecond) +
  Math.ceil((usage.judgeTokens * microsPerMillionJudgeTokens) / 1e6) +
  (usage.studentMicros ?? 0) +
  (usage.candidateMicros ?? 0)

/** The additional cost of the stage at `usage`. */
const moreOf = (run: Run, stage: RunStage, usage: Usage): number =>
  costOf(run.prices, most(stage.usage, usage)) - costOf(run.prices, stage.usage)

const stageOf = (run: Run, seq: number): RunStage => run.stages[seq - 1]!

/** The run with room kept for a stage that comes to `upTo`; null when the budget does not hold it. */
export const reserve = (run: Run, seq: number, upTo: Usage): Run | null => {
  const more = moreOf(run, stageOf(run, seq), upTo)
  if (run.totals.costMicros + more > run.budgetMicros) return null
  return { ...run, reservedMicros: Math.max(run.reservedMicros, more) }
}

/** `usage` plus the accelerator time that `micros` buy. */
export const ahead = ({ prices }: Run, usage: Usage, micros: number): Usage =>
  prices.microsPerGpuSecond > 0
    ? { ...usage, gpuSeconds: usage.gpuSeconds + micros / prices.microsPerGpuSecond }
    : { ...usage, judgeTokens: usage.judgeTokens + Math.floor((micros * 1e6) / prices.microsPerMillionJudgeTokens) }

/** Whether the budget holds a stage that has come to `usage`. */
export const holds = (run: Run, seq: number, usage: Usage): boolean =>
  run.totals.costMicros + moreOf(run, stageOf(run, seq), usage) <= run.budgetMicros

const seconds = (value: number): number => Math.round(value * 1e6) / 1e6

/** The run with its stage at `usage`; never above the budget, even after unreserved spending. */
export const spend = (run: Run, seq: number, usage: Usage): Run => {
  const stage = stageOf(run, seq)
  const more = moreOf(run, stage, usage)
  const after = most(stage.usage, usage)
  const { costMicros, gpuSeconds, judgeTokens } = run.totals
  const candidates = (name: "candidateTokens" | "candidateMicros") => {
    const total = (run.totals[name] ?? 0) + (after[name] ?? 0) - (stage.usage[name] ?? 0)
    return total === 0 ? {} : { [name]: total }
  }
  return {
    ...run,
    totals: {
      gpuSeconds: seconds(gpuSeconds + after.gpuSeconds - stage.usage.gpuSeconds),
      judgeTokens: judgeTokens + after.judgeTokens - stage.usage.judgeTokens,
      ...candidates("candidateTokens"),
      ...candidates("candidateMicros"),
      costMicros: Math.min(run.budgetMicros, costMicros + more)
    },
    reservedMicros: Math.max(0, run.reservedMicros - more),
    stages: run.stages.map((row) => (row.seq === seq ? { ...row, usage: after } : row))
  }
}
