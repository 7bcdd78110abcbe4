/** The figures of the benchmark `all` from its rounds: relative to the bare lines of the same round, or none. */
import { assert, describe, it } from "@effect/vitest"
import * as Rounds from "../src/Rounds.ts"

const contestant = (name: string, samples: ReadonlyArray<readonly [perSecond: number, cpuMicrosEach: number]>) => {
  let asked = 0
  const measure = async () => {
    const [perSecond = 0, cpuMicrosEach = 0] = samples[asked++] ?? []
    return { perSecond, cpuMicrosEach }
  }
  return { group: "reads", name, isBare: name === "bare", measure }
}

describe("rounds of a benchmark", () => {
  it("are compared with the bare one of the same round, and the first does not count (P234)", async () => {
    const bare = contestant("bare", [
      [1, 999],
      [1_000, 10],
      [1_100, 11],
      [1_050, 10]
    ])
    const own = contestant("own", [
      [1, 999],
      [500, 40],
      [550, 55],
      [105, 60]
    ])
    const samples = await Rounds.run([bare, own], { rounds: 3, roundsMax: 3 })
    const [, line] = Rounds.linesOf(samples)
    assert.deepStrictEqual(line?.rateToBare, { median: 0.5, least: 0.1, most: 0.5 })
    assert.deepStrictEqual(line?.cpuToBare, { median: 5, least: 4, most: 6 })
    assert.deepStrictEqual(line?.perSecond, { median: 500, least: 105, most: 550 })
    // What is measured may move; the bare one did not.
    assert.deepStrictEqual(Rounds.unsteady(samples), [])
  })

  it("are worth nothing where the bare one moved, or was not measured (P234)", async () => {
    const still = [500, 40] as const
    for (const [second, reason] of [
      [[1_300, 10], "bare moved by 30 % between rounds"],
      [[1_000, 14], "bare moved by 40 % between rounds"],
      [[1_000, Number.NaN], "bare moved by NaN % between rounds"]
    ] as const) {
      const bare = contestant("bare", [still, [1_000, 10], second])
      const samples = await Rounds.run([bare, contestant("own", [still, still, still])], {
        rounds: 2,
        roundsMax: 2
      })
      assert.deepStrictEqual(Rounds.unsteady(samples), [reason])
    }
  })

  it("are taken again where the bare one moved, and those are kept between which it held still (P234)", async () => {
    const bare = contestant("bare", [
      [1, 999],
      [1_000, 10],
      [400, 25],
      [2_000, 5],
      [1_100, 11],
      [1_050, 10],
      [1_000, 10]
    ])
    const own = contestant("own", [
      [1, 999],
      [100, 40],
      [101, 41],
      [102, 42],
      [103, 44],
      [104, 45],
      [105, 46]
    ])
    const samples = await Rounds.run([bare, own], { rounds: 3, roundsMax: 9 })
    // The fourth round to be alike is not needed, and is not measured.
    assert.deepStrictEqual(
      samples.get(own)?.map(({ perSecond }) => perSecond),
      [100, 103, 104]
    )
    assert.deepStrictEqual(Rounds.unsteady(samples), [])
  })

  it("have a median between the two in the middle", () => {
    assert.deepStrictEqual(Rounds.spreadOf([4, 1, 3, 2]), { median: 2.5, least: 1, most: 4 })
  })
})
