import { assert, describe, it } from "@effect/vitest"
import * as FeedbackQuality from "@limbeck/distill/report/FeedbackQuality"

const times = (count: number, student: boolean | null, teacher: boolean): ReadonlyArray<FeedbackQuality.Verdict> =>
  Array.from({ length: count }, () => ({ student, teacher }))

describe("FeedbackQuality", () => {
  it("counts who is right; what is not known counts as wrong of the student, and is told (P356)", () => {
    const verdicts = [...times(80, true, true), ...times(10, true, false), ...times(6, false, true)]
    const reviewed = FeedbackQuality.summarize([...verdicts, ...times(4, null, false)])
    assert.deepInclude(reviewed, { rows: 100, wins: 10, losses: 6 })
    assert.deepInclude(reviewed?.student, { correct: 90, value: 0.9, undecided: 4 })
    assert.deepInclude(reviewed?.teacher, { correct: 86, value: 0.86 })
    const [said, unknown] = FeedbackQuality.notesOf(reviewed)
    assert.match(
      said ?? "",
      /^Of 100 holdout rows that reviewers judged, the student is right in 90.0 % \(95 % interval/
    )
    assert.include(unknown, "In 4 of them only the teacher is known to be wrong")
    assert.isNull(FeedbackQuality.summarize([]))
    assert.deepStrictEqual(FeedbackQuality.notesOf(null), [])
  })
})
