import type { Latency } from "./Latency.ts"

/** One line of a result; null is what was not measured. */
export interface Row {
  readonly name: string
  readonly perSecond: number | null
  /** CPU time of the process under test per operation. */
  readonly cpuMicrosEach: number | null
  readonly latency: Latency | null
}

/** The ratio of both rates, if both were counted. */
export const ratio = (row: Row, bare: Row | undefined): number | null =>
  row.perSecond !== null && bare?.perSecond ? row.perSecond / bare.perSecond : null
