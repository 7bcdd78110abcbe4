/** A student takes over from another only where it is not surely worse (contract 16.36). */
import { assert, it } from "@effect/vitest"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import { type DeploymentView, deployAndWait, get, path } from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { serving } from "./support/Serving.ts"

const rows = tickets({ rows: 200, seed: 1 })
const labels = [...new Set(rows.map(({ completion }) => completion))]

/** The same questions, a share of them with an answer that nothing in the text tells. */
const noisy = (percent: number) =>
  rows.map((row, index) => {
    const drawn = (index * 2_654_435_761) % 97
    return drawn < percent ? { ...row, completion: labels[drawn % labels.length]! } : row
  })

const begin = async (house: House) => {
  const { live } = await house.workspace()
  const [good, worse, similar] = await Promise.all([rows, noisy(40), noisy(4)].map((of) => evaluated(live, of)))
  const source = await createSource(live)
  return { live, good: good!, worse: worse!, similar: similar!, fallback: { source: source.name, model: "gpt" } }
}

const patch = (live: Client, id: string, body: object) => live.patch<DeploymentView>(`${path}/${id}`, body)

const assertWorse = (answer: Awaited<ReturnType<typeof patch>>, students: ReadonlyArray<string>) => {
  assertRefused(answer, 409, "conflict_error", "student_model")
  assert.match(answer.text, /of \d+ held-out rows that both answered it agrees .* on \d+ \([\d.]+ %\)/)
  for (const student of students) assert.include(answer.text, student)
}

onOneStorage(
  "a student in another's place",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("is compared with it on the rows that both answered, unless the guard is off or it is a rollback (P1150)", async () => {
      const { fallback, good, live, worse } = await story()
      const body = { alias: "desk", student_model: good, mode: "active", fallback, guard: {} }
      const { guard, id } = await deployAndWait(live, body)
      assertWorse(await patch(live, id, { student_model: worse }), [good, worse])
      assertWorse(await patch(live, id, { student_model: worse, guard: { min_agreement: 0.1 } }), [good, worse])
      assert.deepInclude(await get(live, id), { student_model: good, previous_student_model: null, guard })
      const off = expectStatus(await patch(live, id, { student_model: worse, guard: null }), 200)
      assert.deepInclude(off, { student_model: worse, previous_student_model: good })
      const better = expectStatus(await patch(live, id, { student_model: good, guard: {} }), 200)
      assert.deepStrictEqual(better.guard, guard)
      // Nobody compares a rollback; the floor that the student in place had is another question.
      const unguarded = expectStatus(await patch(live, id, { guard: null }), 200)
      assert.isNull(unguarded.guard)
      const back = expectStatus(await live.post<DeploymentView>(`${path}/${id}/rollback`, {}), 200)
      assert.strictEqual(back.student_model, worse)
    })

    it("is compared as a challenger that is made active, and not in shadow (P1150)", async () => {
      const { fallback, good, live, worse } = await story()
      await deployAndWait(live, { alias: "duel", student_model: good, mode: "active", fallback, guard: {} })
      const shadow = { alias: "duel", student_model: good, mode: "shadow", fallback, guard: {} }
      const { id } = await deployAndWait(live, shadow)
      assert.strictEqual(expectStatus(await patch(live, id, { student_model: worse }), 200).student_model, worse)
      assertWorse(await patch(live, id, { mode: "active" }), [good, worse])
      const free = await patch(live, id, { mode: "active", guard: null })
      assertRefused(free, 409, "conflict_error", "mode")
    })

    it("leaves a default floor where it was, and takes one that is given (P1150)", async () => {
      const { fallback, good, live, similar } = await story()
      const { guard, id } = await deployAndWait(live, {
        alias: "floor",
        student_model: good,
        mode: "active",
        fallback,
        guard: {}
      })
      const own = await deployAndWait(live, {
        alias: "own",
        student_model: similar,
        mode: "active",
        fallback,
        guard: {}
      })
      assert.isBelow(own.guard?.min_agreement ?? 1, guard?.min_agreement ?? 0)
      const moved = expectStatus(await patch(live, id, { student_model: similar }), 200)
      assert.deepInclude(moved, { student_model: similar, guard })
      const given = expectStatus(await patch(live, id, { student_model: good, guard: { min_agreement: 0.5 } }), 200)
      assert.strictEqual(given.guard?.min_agreement, 0.5)
    })
  },
  serving
)
