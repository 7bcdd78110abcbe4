/** Keeps work waiting, so that its worker never runs dry. */
import { setTimeout as sleep } from "node:timers/promises"

const lookMillis = 50

export interface Feed {
  /** Answers the least that was ever waiting. */
  readonly stop: () => Promise<number>
}

/** Adds whenever fewer than `least` are waiting. */
export const keep = (options: {
  readonly least: number
  readonly waiting: () => Promise<number>
  readonly add: () => Promise<unknown>
}): Feed => {
  let fed = true
  let lowest = Number.POSITIVE_INFINITY
  const feeding = (async () => {
    while (fed) {
      const waiting = await options.waiting()
      lowest = Math.min(lowest, waiting)
      await (waiting < options.least ? options.add() : sleep(lookMillis))
    }
  })()
  const stop = async () => {
    fed = false
    await feeding
    return lowest
  }
  return { stop }
}
