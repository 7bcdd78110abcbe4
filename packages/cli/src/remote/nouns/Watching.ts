/** Commands that poll the API until interrupted. */
import { setTimeout as sleep } from "node:timers/promises"

export interface Watching {
  /** Ends the command. */
  readonly signal: AbortSignal
  readonly everyMillis: number
}

/** Ends early with the signal. */
export const pause = ({ everyMillis, signal }: Watching): Promise<void> =>
  sleep(everyMillis, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
