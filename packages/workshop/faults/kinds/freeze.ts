/** Every process of Postgres stands still: connections stay, and nothing is answered. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"

const frozenMillis = 12_000

export const freeze: Fault = {
  title: `Postgres frozen (SIGSTOP) for ${frozenMillis / 1_000} s`,
  run: async ({ postgres }) => {
    const pids = await postgres.pids()
    // One may have ended by itself.
    const signal = (name: NodeJS.Signals) => {
      for (const pid of pids) {
        try {
          process.kill(pid, name)
        } catch {}
      }
    }
    signal("SIGSTOP")
    try {
      await sleep(frozenMillis)
    } finally {
      signal("SIGCONT")
    }
  }
}
