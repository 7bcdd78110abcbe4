/** Compares a server's reported duration with the time measured here, in one process. */
import { assert } from "@effect/vitest"

/** Begins now; later asserts a whole number of milliseconds, between `leastMillis` and the elapsed time. */
export const begin = () => {
  const startedAt = performance.now()
  return (toldMillis: number, leastMillis = 0): void => {
    const passedMillis = Math.ceil(performance.now() - startedAt)
    assert.strictEqual(Math.trunc(toldMillis), toldMillis)
    assert.isTrue(toldMillis >= leastMillis && toldMillis <= passedMillis, `${toldMillis} of ${passedMillis} ms`)
  }
}
