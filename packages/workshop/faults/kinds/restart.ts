/** Postgres is stopped and comes back: once for a while, or again and again. */
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"
import type { World } from "../World.ts"

const outage = async ({ postgres }: World, millis: number): Promise<void> => {
  await postgres.stop()
  await sleep(millis)
  await postgres.start()
}

export const restart: Fault = {
  title: "Postgres stopped for 8 s",
  run: (world) => outage(world, 8_000)
}

export const flap: Fault = {
  title: "Postgres flaps: four times 2 s away, 1.5 s back",
  run: async (world) => {
    for (let time = 0; time < 4; time++) {
      await outage(world, 2_000)
      await sleep(1_500)
    }
  }
}
