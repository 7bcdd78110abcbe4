/** Runs untrusted code on this thread, and aborts it after a time limit. */
import { createContext, Script } from "node:vm"
import { hasCode } from "../../internal/ErrorCode.ts"

const call = new Script("run()")

/** The error belongs to the other context, so `instanceof Error` is false. */
const isTimeout = (error: unknown): boolean => hasCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")

/**
 * The result of `run`, or undefined after `millis`: the run was stopped in the middle, and the objects it was changing must
 * not be used again. Rethrows errors of `run`. Costs about 0.4 ms.
 */
export const runWithin = <A>(millis: number, run: () => A): { readonly value: A } | undefined => {
  let value: A | undefined
  const context = createContext({
    run: () => {
      value = run()
    }
  })
  try {
    call.runInContext(context, { timeout: millis })
  } catch (error) {
    if (isTimeout(error)) return undefined
    throw error
  }
  return { value: value as A } // It was assigned, or the call threw.
}
