import type { Measured } from "./Load.ts"

/** One line of a result. */
export interface Row extends Measured {
  readonly name: string
  /** CPU time of the process under test per operation. */
  readonly cpuMicrosEach: number
}
