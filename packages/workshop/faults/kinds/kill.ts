/** Each server is killed and started again, and then both at once. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"

export const kill: Fault = {
  title: "`kill -9` of a server, of the other, of both",
  run: async ({ servers }) => {
    const [a, b] = servers
    for (const killed of [[a], [b], [a, b]]) {
      await Promise.all(killed.map((server) => server.kill()))
      await Promise.all(killed.map((server) => server.start()))
      await sleep(2_000)
    }
  }
}
