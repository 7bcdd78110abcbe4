/** Runs what is not ours to trust on this thread, and breaks it off when it takes too long. */
import { createContext, Script } from "node:vm"
import { hasCode } from "../../internal/ErrorCode.ts"

const call = new Script("run()")

/** It is an `Error` of the other context, so that `instanceof` does not know it. */
const isTimeout = (error: unknown): boolean => hasCode(error, "ERR_SCRIPT_EXECUTION_TIMEOUT")

/**
 * What `run` returns, or undefined when it takes longer than `millis`: then it was stopped somewhere in the middle, and
 * nothing that it was changing may be used again. Throws what it throws. Costs about 0.4 ms.
 */
export const within = <A>(millis: number, run: () => A): { readonly value: A } | undefined => {
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
