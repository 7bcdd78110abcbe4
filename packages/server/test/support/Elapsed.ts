/** What a server says that something lasted, against the time that it took here: both are in this process. */
import { assert } from "@effect/vitest"

/** Begins now; asserts later that whole milliseconds were told, no more of them than have passed and no less than `leastMillis`. */
export const begin = () => {
  const startedAt = performance.now()
  return (toldMillis: number, leastMillis = 0): void => {
    const passedMillis = Math.ceil(performance.now() - startedAt)
    assert.strictEqual(Math.trunc(toldMillis), toldMillis)
    assert.isTrue(toldMillis >= leastMillis && toldMillis <= passedMillis, `${toldMillis} of ${passedMillis} ms`)
  }
}
