/** Waits by signals of the test kit. */
import { assert, describe, it } from "@effect/vitest"
import { Signal } from "@limbeck/testing/Signal"

describe("a wait for a signal", () => {
  it("ends at the ring after which its condition holds, and is looked at no more", async () => {
    const signal = new Signal()
    let count = 0
    let looks = 0
    const waiting = signal.until("three", () => {
      looks++
      return count === 3 && "three"
    })
    for (count = 1; count <= 3; count++) signal.ring()
    assert.strictEqual(await waiting, "three")
    signal.ring()
    assert.strictEqual(looks, 4)
  })

  it("ends at once if its condition holds, fails with its condition, and names what it waited for in vain", async () => {
    const signal = new Signal()
    assert.strictEqual(await signal.until("a value", () => 0), 0)
    const thrown = signal.until("a failure", () => {
      throw new Error("broken")
    })
    assert.strictEqual(await thrown.catch(({ message }: Error) => message), "broken")
    const late = await signal.until("nothing", () => false, 1).catch(({ message }: Error) => message)
    assert.strictEqual(late, "Waited 1 ms in vain: nothing")
  })
})
