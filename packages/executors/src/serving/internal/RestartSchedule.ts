/** When a serving process is restarted after its end. Pure. */
import { ServingProcessLimits as Limits } from "./Limits.ts"

/** `ends`: in a row, without an answer in between; at least 1. In milliseconds. */
export const waitAfter = (ends: number): number =>
  Math.min(Limits.backoffMillisMax, Limits.backoffMillis * 2 ** Math.min(30, ends - 1))
