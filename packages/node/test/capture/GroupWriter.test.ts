/** How records share writes, and what a disk that hangs may cost. */
import { assert, describe, it } from "@effect/vitest"
import { type Entry, GroupWriter } from "../../src/capture/journal/internal/GroupWriter.ts"

/** A disk whose writes end on request. */
const disk = () => {
  const groups: Array<ReadonlyArray<number>> = []
  const ends: Array<() => void> = []
  const write = (group: ReadonlyArray<Entry<number>>) => {
    groups.push(group.map(({ value }) => value))
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  return { groups, ends, write }
}

const bounds = { groupBytes: 100, waitingBytesMax: 200, patienceMillis: 60_000 }

const entry = (value: number, done = () => {}, size = 10): Entry<number> => ({ value, bytes: [], size, done })

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("a group writer", () => {
  it("writes what comes alone at once, and all that comes meanwhile together, as far as it fits", async () => {
    const { ends, groups, write } = disk()
    const writer = new GroupWriter(write, bounds)
    const written: Array<number> = []
    for (let value = 0; value < 20; value++) writer.add(entry(value, () => written.push(value)))
    assert.deepStrictEqual([groups, written], [[[0]], []])
    while (written.length < 20) {
      ends.shift()?.()
      await turn()
    }
    assert.deepStrictEqual(
      groups.map(({ length }) => length),
      [1, 10, 9]
    )
    assert.deepStrictEqual(written, groups.flat())
  })

  it("waits a moment for company where there was some, and alone for nothing again (P490)", async () => {
    const { ends, groups, write } = disk()
    const writer = new GroupWriter(write, bounds)
    const ended = async () => {
      ends.shift()?.()
      await turn()
    }
    const begun = async (count: number) => {
      while (groups.length < count) await turn()
    }
    for (const value of [0, 1, 2]) writer.add(entry(value))
    await ended()
    await begun(2)
    await ended()
    writer.add(entry(3))
    writer.add(entry(4))
    assert.deepStrictEqual(groups, [[0], [1, 2]])
    await begun(3)
    await ended()
    writer.add(entry(5))
    assert.deepStrictEqual(groups[2], [3, 4])
    await begun(4)
    await ended()
    writer.add({ ...entry(6), isIdle: true })
    writer.add(entry(7))
    // One of them had nobody who waits: that is no company.
    assert.deepStrictEqual(groups.slice(3), [[5], [6, 7]])
    await ended()
    writer.add(entry(8))
    assert.deepStrictEqual(groups.slice(5), [[8]])
    await ended()
    await writer.drain()
  })

  it("writes what nobody waits for with the next that somebody does, and by itself a moment later (P103)", async () => {
    const { ends, groups, write } = disk()
    const writer = new GroupWriter(write, bounds)
    const idle = (value: number) => ({ ...entry(value), isIdle: true })
    writer.add(idle(1))
    await turn()
    assert.deepStrictEqual(groups, [])
    writer.add(entry(2))
    assert.deepStrictEqual(groups, [[1, 2]])
    writer.add(idle(3))
    ends.shift()?.()
    await turn()
    // The disk is free, and left alone.
    assert.deepStrictEqual(groups, [[1, 2]])
    while (groups.length < 2) await turn()
    assert.deepStrictEqual(groups[1], [3])
    writer.add(idle(4))
    ends.shift()?.()
    const drained = writer.drain()
    while (groups.length < 3) await turn()
    ends.shift()?.()
    await drained
    assert.deepStrictEqual(groups[2], [4])
  })

  it("goes on when what nobody waited for has gone with something else", async () => {
    const { ends, groups, write } = disk()
    const writer = new GroupWriter(write, bounds)
    for (let round = 0; round < 3; round++) {
      writer.add({ ...entry(1), isIdle: true })
      writer.add(entry(2))
      const written = writer.drain()
      ends.shift()?.()
      await written
      // Written when its own time has come, although the first was written early.
      writer.add({ ...entry(3), isIdle: true })
      while (groups.length < 2 * round + 2) await turn()
      ends.shift()?.()
      await writer.drain()
    }
    assert.deepStrictEqual(groups, [[1, 2], [3], [1, 2], [3], [1, 2], [3]])
  })

  it("does a task between two writes, never beside one", async () => {
    const { ends, groups, write } = disk()
    const writer = new GroupWriter(write, bounds)
    writer.add(entry(0))
    let isDone = false
    const alone = writer.alone(async () => {
      isDone = true
    })
    await turn()
    assert.deepStrictEqual([groups.length, isDone], [1, false])
    ends.shift()?.()
    await alone
    await writer.drain()
    assert.isTrue(isDone)
  })

  it("takes no more than may wait, and lets everybody go whose disk hangs", async () => {
    const { ends, write } = disk()
    const writer = new GroupWriter(write, { ...bounds, patienceMillis: -1 })
    let gone = 0
    const leave = () => {
      gone++
    }
    assert.isTrue(writer.add(entry(0, leave)))
    await turn()
    assert.isTrue(writer.isHanging)
    assert.isTrue(writer.add(entry(1, leave, 150)))
    assert.isFalse(writer.add(entry(2, leave, 100)))
    assert.strictEqual(gone, 1)
    writer.releaseWaiting()
    assert.strictEqual(gone, 3)
    for (let end = ends.shift(); end !== undefined; end = ends.shift()) {
      end()
      await turn()
      await turn()
    }
  })
})
