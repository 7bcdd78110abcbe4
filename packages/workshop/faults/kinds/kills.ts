/** A hundred kills: each server, then both at once, at another moment of their work each time. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"

const rounds = 25
/** The pause after a start grows by this from kill to kill, up to 2.8 s, so that kills meet different work. */
const stepMillis = 37
const pauseMaxMillis = 2_800

export const kills: Fault = {
  title: "100 × `kill -9`, of one server, of the other, of both in turns",
  onlyByName: true,
  run: async ({ servers }) => {
    const [a, b] = servers
    const turns = Array.from({ length: rounds }, () => [[a], [b], [a, b]]).flat()
    for (const [index, killed] of turns.entries()) {
      await Promise.all(killed.map((server) => server.kill()))
      await Promise.all(killed.map((server) => server.start()))
      await sleep((index * stepMillis) % pauseMaxMillis)
    }
  }
}
