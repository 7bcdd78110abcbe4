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

/** What the last window lacks of the first, as a share; negative when it is faster. */
export const decay = (rates: ReadonlyArray<number>): number => 1 - (rates.at(-1) ?? 0) / (rates[0] ?? 1)
