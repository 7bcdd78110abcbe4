/** How a rate holds: counted window by window. */
import { setTimeout as sleep } from "node:timers/promises"

/** The rate per second in each of `windows` windows of equal length, `seconds` together. */
export const watch = async (
  count: () => Promise<number>,
  { seconds, windows }: { readonly seconds: number; readonly windows: number }
): Promise<ReadonlyArray<number>> => {
  const startedAt = performance.now()
  const rates: Array<number> = []
  let [counted, at] = [await count(), startedAt]
  for (let window = 1; window <= windows; window++) {
    await sleep(Math.max(0, startedAt + (window * seconds * 1000) / windows - performance.now()))
    const [countedNow, now] = [await count(), performance.now()]
    rates.push((countedNow - counted) / ((now - at) / 1000))
    counted = countedNow
    at = now
  }
  return rates
}

/** The relative loss of the last window against the first; negative for a gain. */
export const decay = (rates: ReadonlyArray<number>): number => 1 - (rates.at(-1) ?? 0) / (rates[0] ?? 1)
