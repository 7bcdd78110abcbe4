/** The guard of questions on simulated deployments: seeded, one verified request after the other. */
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "@limbeck/distill/report/statistics/SeededRandom"
import type { QuestionEvidence } from "@limbeck/distill/student/StudentModel"
import { caseCount } from "@limbeck/testing/Campaign"
import * as Result from "effect/Result"
import * as QuestionGuardRules from "../src/guard/QuestionGuardRules.ts"

const idOf = (letter: string) => `qst_${letter.repeat(26)}` as const

/** A predicate whose student says what the teacher says, but for noise, and with this probability the contrary. */
interface Question {
  readonly question: `qst_${string}`
  readonly agreement: number
}

type Random = () => number

const randomOf = (seed: number): Random => {
  const bits = SeededRandom.make(seed)
  return () => bits() / 2 ** 32
}

const comparisonOf = (agreement: number, random: Random) => {
  const agrees = random() < agreement
  // Probabilities of either side, the sure ones more often.
  const teacher = 1 - random() ** 2 / 2
  const student = agrees ? Math.max(0.5, Math.min(1, teacher + (random() - 0.5) / 10)) : 1 - teacher
  return { agrees, difference: (student - teacher) ** 2 }
}

const evidenceOf = ({ agreement, question }: Question, rows: number, random: Random): QuestionEvidence => {
  const all = Array.from({ length: rows }, () => comparisonOf(agreement, random))
  const agreed = all.filter(({ agrees }) => agrees).length
  const difference = all.reduce((sum, one) => sum + one.difference, 0)
  const alone = { compared: rows, agreed, difference }
  return { question, name: null, threshold: 0.6, alone, curve: [{ threshold: 0, answered: rows, agreed }] }
}

interface Simulation {
  readonly questions: ReadonlyArray<Question>
  readonly rows: number
  readonly requests: number
  readonly dropAfter?: number
  /** What becomes of a comparison of the first question after the drop. */
  readonly agreementAfter?: number
}

/** The request that guarded each question; absent for one that none did. */
const guardedBy = ({ agreementAfter, dropAfter, questions, requests, rows }: Simulation, seed: number) => {
  const random = randomOf(seed)
  const evidence = questions.map((question) => evidenceOf(question, rows, random))
  const floors = Result.getOrThrow(QuestionGuardRules.floorsOf(evidence, { belowConfidence: 0 }, null))
  const guarded = new Map<string, number>()
  const known = new Map<string, QuestionGuardRules.QuestionComparisons>()
  for (let request = 0; request < requests; request++) {
    for (const [at, { agreement, question }] of questions.entries()) {
      const isDropped = at === 0 && dropAfter !== undefined && request >= dropAfter
      const one = comparisonOf(isDropped ? (agreementAfter ?? agreement) : agreement, random)
      if (guarded.has(question)) continue
      const floor = floors.find((asked) => asked.question === question)!
      const options = { questions: floors.length, isGiven: false }
      const added = QuestionGuardRules.add(known.get(question), floor, one, options)
      known.set(question, added.known)
      if (added.breach !== null) guarded.set(question, request + 1)
    }
  }
  return guarded
}

const five = [0.98, 0.985, 0.99, 0.995, 0.98].map((agreement, at) => ({
  question: idOf("abcde".charAt(at)),
  agreement
}))

const seeds = (count: number) => Array.from({ length: count }, (_, seed) => seed + 1)

/** Simulated deployments without a change. */
const stayingCount = caseCount(250, 1_000)

describe("the guard of questions", () => {
  it.each([150, 300, 1_000])(
    "of deployments that stay as their holdout of %i rows was, at most 1 in 20 has any question guarded (P1363)",
    (rows) => {
      const any = seeds(stayingCount).filter(
        (seed) => guardedBy({ questions: five, rows, requests: 500 }, seed).size > 0
      )
      assert.isAtMost(any.length / stayingCount, 0.05)
    }
  )

  it.each([
    [300, 0],
    [300, 1_000],
    [1_000, 300]
  ])(
    "a question that drops by 10 points (%i rows, after %i requests) is guarded within 500 in 95 of 100, the others never (P1364)",
    (rows, dropAfter) => {
      const requests = dropAfter + 500
      const runs = seeds(200).map((seed) =>
        guardedBy({ questions: five, rows, requests, dropAfter, agreementAfter: five[0]!.agreement - 0.1 }, seed)
      )
      const [first, ...others] = five.map(({ question }) => question)
      const found = runs.filter((guarded) => (guarded.get(first!) ?? 0) > dropAfter)
      const touched = runs.filter((guarded) => others.some((question) => guarded.has(question)))
      assert.isAtLeast(found.length / runs.length, 0.95)
      assert.isAtMost(touched.length / runs.length, 0.05)
    }
  )

  it("a student whose questions have no threshold lacks them as evidence, and has it without a fallback", () => {
    const { threshold: _, ...evidence } = evidenceOf(five[0]!, 300, randomOf(1))
    const unsure = [{ ...evidence, threshold: null }]
    const lacking = QuestionGuardRules.floorsOf(unsure, { belowConfidence: 0 }, null)
    assert.strictEqual(Result.isFailure(lacking) && lacking.failure.lack, "questions")
    assert.isTrue(Result.isSuccess(QuestionGuardRules.floorsOf(unsure, { belowConfidence: null }, null)))
  })
})
