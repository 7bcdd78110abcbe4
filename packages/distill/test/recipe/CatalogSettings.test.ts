/** A host's catalog of students, machines and prices; a mistake gives one line. */
import { assert, describe, it } from "@effect/vitest"
import { read } from "@limbeck/distill/recipe/CatalogSettings"
import * as ComputeProfile from "@limbeck/distill/recipe/ComputeProfile"
import * as StudentBase from "@limbeck/distill/recipe/StudentBase"
import * as Result from "effect/Result"

const entries = (settings: unknown) => Result.getOrThrow(read(settings))

const student = { id: "org/Model-1B", parameters: 1_000_000_000, context_length: 8_192, license: "MIT" }
const profile = {
  id: "own",
  machine: "2xOwn",
  gpu: "Own",
  price_per_gpu_second: 0.000_5,
  peak_flops: 1e14,
  memory_bandwidth: 1e12
}

describe("the catalog of a host's settings", () => {
  it("is the standard one where they say nothing", () => {
    assert.deepStrictEqual(entries({}), { students: StudentBase.standard, profiles: ComputeProfile.standard })
  })

  it("has what they name, after the builtin students and this machine, which are always there (P93)", () => {
    const { profiles, students } = entries({ students: [student], compute_profiles: [profile] })
    assert.deepStrictEqual(
      students.map(({ id }) => id),
      [StudentBase.builtin.id, StudentBase.embedding.id, student.id]
    )
    assert.deepStrictEqual(students[2], {
      id: student.id,
      engine: "llm",
      parameters: 1_000_000_000,
      contextLength: 8_192,
      stages: ["sft", "grpo", "eval", "publish"],
      cases: StudentBase.RunCase.literals,
      license: "MIT"
    })
    assert.deepStrictEqual(profiles, [
      ComputeProfile.local,
      {
        id: "own",
        machine: "2xOwn",
        gpu: "Own",
        spot: false,
        microsPerGpuSecond: 500,
        peakFlops: 1e14,
        memoryBandwidth: 1e12
      }
    ])
    assert.deepStrictEqual(entries({ students: [] }).students, [StudentBase.builtin, StudentBase.embedding])
  })

  it("takes from what is known by its id all that they do not say", () => {
    const { profiles, students } = entries({
      students: [{ id: "Qwen/Qwen3-4B", stages: ["sft"], cases: ["extraction"] }],
      compute_profiles: [
        { id: "l4", price_per_gpu_second: 0.000_3, spot: true },
        { id: "local", price_per_gpu_second: 0.000_2 }
      ]
    })
    const known = StudentBase.standard.find(({ id }) => id === "Qwen/Qwen3-4B")
    assert.deepStrictEqual<unknown>(students[2], { ...known, stages: ["sft"], cases: ["extraction"] })
    const l4 = ComputeProfile.standard.find(({ id }) => id === "l4")
    assert.deepStrictEqual<unknown>(profiles, [
      { ...ComputeProfile.local, microsPerGpuSecond: 200 },
      { ...l4, microsPerGpuSecond: 300, spot: true }
    ])
  })

  const { license: _, ...unlicensed } = student
  const { gpu: __, ...without } = profile
  const wrong: ReadonlyArray<readonly [settings: unknown, where: string]> = [
    [[], ""],
    ["students", ""],
    [{ student: [] }, '["student"]'],
    [{ students: [{ ...student, id: "" }] }, '["students"][0]["id"]'],
    [{ students: [{ ...student, parameters: 0 }] }, '["students"][0]["parameters"]'],
    [{ students: [{ ...student, price: 1 }] }, '["students"][0]["price"]'],
    [{ students: [{ ...student, stages: ["materialize"] }] }, '["students"][0]["stages"][0]'],
    [{ students: [unlicensed] }, "students[0].license: "],
    [{ students: [student, student] }, "students[1].id: "],
    [{ students: [{ id: StudentBase.builtin.id }] }, "students[0].id: "],
    [{ compute_profiles: [] }, "compute_profiles: "],
    [{ compute_profiles: [{ id: "local", price_per_gpu_second: 0.1 }] }, "compute_profiles: "],
    [{ compute_profiles: [profile, { id: "local", gpu: "A100" }] }, "compute_profiles[1].gpu: "],
    [{ compute_profiles: [without] }, "compute_profiles[0].gpu: "],
    [{ compute_profiles: [{ ...profile, price_per_gpu_second: 0.000_000_1 }] }, "compute_profiles[0].price_per_gpu"],
    [{ compute_profiles: [{ ...profile, price_per_gpu_second: -1 }] }, '["price_per_gpu_second"]']
  ]
  it.each(wrong)("%j is refused in one line that says where", (settings, where) => {
    const said = Result.getOrThrow(Result.flip(read(settings)))
    assert.include(said, where)
    assert.notInclude(said, "\n")
  })
})
