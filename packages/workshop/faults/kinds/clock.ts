/** The clocks of both servers jump, forward and back. */
import * as fs from "node:fs"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { Fault } from "../Fault.ts"

const hourMillis = 3_600_000
const preload = fileURLToPath(new URL("../../../cli/test/ShiftedClock.ts", import.meta.url))

const fileOf = (folder: string) => path.join(folder, "clock")
const shift = (folder: string, millis: number) => fs.writeFileSync(fileOf(folder), String(millis))

export const clock: Fault = {
  title: "Clocks jump: +1 h, back, -1 h, back, +25 h, back",
  shiftsClock: true,
  environment: (folder) => {
    shift(folder, 0)
    return { NODE_OPTIONS: `--import=${preload}`, SHIFTED_CLOCK: fileOf(folder) }
  },
  run: async ({ folder }) => {
    for (const hours of [1, 0, -1, 0, 25, 0]) {
      shift(folder, hours * hourMillis)
      await sleep(2_500)
    }
  }
}
