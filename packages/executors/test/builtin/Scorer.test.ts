import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { generator } from "../../src/builtin/internal/Hashing.ts"
import { score } from "../../src/builtin/internal/Softmax.ts"
import * as Scorer from "../../src/builtin/internal/score/Scorer.ts"
import * as Compiled from "../../wasm/Compiled.ts"

const next = generator(7)
const some = () => next() / 2 ** 31 - 1

const learntOf = (labels: number, features: number): Scorer.LearntModel => ({
  weights: Float32Array.from({ length: labels * features }, some),
  bias: Float32Array.from({ length: labels }, some)
})

const rowOf = (length: number, features: number) => ({
  features: Uint32Array.from({ length: length + 3 }, () => next() % features),
  values: Float32Array.from({ length: length + 3 }, some),
  from: 3,
  to: length + 3
})

describe("scores in WebAssembly", () => {
  it.each([1, 2, 3, 16, 17, 100])("are those of the plain arithmetic to the bit, at %i labels", (labels) => {
    const learnt = learntOf(labels, 500)
    const scorer = Scorer.make(learnt)
    for (const length of [0, 1, 4, 5, 1023, 1024, 1025, 3001]) {
      const row = rowOf(length, 500)
      const [plain, quick] = [new Float64Array(labels), new Float64Array(labels).fill(9)]
      score(row, { weights: learnt.weights, stride: labels }, 1, learnt.bias, plain)
      scorer(row, quick)
      expect(quick).toEqual(plain)
    }
  })

  it("are made of the source that stands beside them", async () => {
    expect(readFileSync(Compiled.target, "utf8")).toBe(await Compiled.text())
  })

  it("are the same where a process has no addresses left for another memory", () => {
    const path = new URL("../../src/builtin/internal/score/Scorer.ts", import.meta.url).pathname
    const code = `
      const { make } = await import(${JSON.stringify(path)})
      const learnt = { weights: Float32Array.of(1, 2, 3, 4), bias: Float32Array.of(5, 6) }
      const row = { features: Uint32Array.of(0, 1), values: Float32Array.of(2, 3), from: 0, to: 2 }
      const scorers = Array.from({ length: 20 }, () => make(learnt))
      const refused = (() => { try { new WebAssembly.Memory({ initial: 1 }) } catch { return true } })()
      const answers = scorers.map((score) => { const into = new Float64Array(2); score(row, into); return [...into] })
      console.log(JSON.stringify({ refused, answers }))`
    const { stderr, stdout } = spawnSync(
      "sh",
      ["-c", `ulimit -v 40000000 && exec "$0" "$@"`, process.execPath, "--input-type=module", "--eval", code],
      { encoding: "utf8" }
    )
    expect(JSON.parse(stdout || stderr)).toEqual({ refused: true, answers: Array(20).fill([16, 22]) })
  })
})
