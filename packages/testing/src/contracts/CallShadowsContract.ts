/** CallStore's promises about shadow results, and deployments' figures of them. */
import { assert } from "@effect/vitest"
import type { ShadowResult } from "@limbeck/capture/call/CapturedCall"
import { Storage } from "@limbeck/core/storage/Storage"
import * as Effect from "effect/Effect"
import * as Calls from "../fixtures/Calls.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { open } from "./calls.ts"

export const suite = describePort("CallStore: shadow results", (it) => {
  it.effect("shadow results of a call come oldest first, once for each deployment, also before the call", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const call = Calls.call()
      const first = Calls.shadow(call, {
        error: "a\0b",
        message: null,
        confidence: null,
        agrees: null,
        answer: null
      })
      const second = Calls.shadow(call, { deployment: "dep_2", message: "\0", createdAt: call.createdAt + 900 })
      yield* store.appendShadows(Calls.inPartition(partition, [second, first, { ...first, error: "again" }]))
      yield* store.appendShadows(Calls.inPartition(partition, [{ ...second, message: "again" }]))
      yield* append(call)
      yield* store.appendShadows([])
      assert.deepStrictEqual(yield* store.shadowsOf(partition, call.id), [first, second])
      assert.deepStrictEqual(yield* store.shadowsOf(others[0], call.id), [])
    })
  )

  it.effect("figures of a deployment count and average what it is part of", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const of = { deployment: "dep_1" } as const
      const none = { upstream: 0, student: 0, shadow: 0, upstream_fallback: 0, mixed: 0 }
      const nothing = {
        calls: none,
        failed: 0,
        shadowed: 0,
        shadowFailed: 0,
        compared: 0,
        agreed: 0,
        studentMillisMean: null,
        upstreamMillisMean: null,
        upstreamCostMicros: 0,
        studentMicros: 0,
        upstreamCostedCalls: 0,
        partialCostMicros: 0,
        partialCostedCalls: 0,
        verificationCostMicros: 0,
        verificationCostedCalls: 0,
        questions: [],
        shadowQuestions: []
      }
      assert.deepStrictEqual(yield* store.figures(partition, "dep_1"), nothing)
      const shadowed = Calls.call({ ...of, servedBy: "shadow", latencyMillis: 500, costMicros: 30 })
      yield* append(
        shadowed,
        Calls.call({ ...of, servedBy: "student", latencyMillis: 40, costMicros: null, studentMicros: 3 }),
        Calls.call({ ...of, servedBy: "student", latencyMillis: 999, outcome: "failed", costMicros: 5 }),
        Calls.call({ ...of, latencyMillis: 300, costMicros: null }),
        Calls.call({ ...of, latencyMillis: 9_000, outcome: "aborted", costMicros: 1 }),
        Calls.call({ ...of, servedBy: "upstream_fallback", latencyMillis: 1_000, costMicros: 12, studentMicros: 4 }),
        Calls.call({ ...of, servedBy: "mixed", latencyMillis: 700, costMicros: 2 }),
        Calls.call({ verifies: { call: shadowed.id, deployment: "dep_1" }, costMicros: 7 }),
        Calls.call({ verifies: { call: shadowed.id, deployment: "dep_1" }, costMicros: null }),
        Calls.call({ verifies: { call: shadowed.id, deployment: "dep_2" }, costMicros: 9 }),
        Calls.call({ deployment: "dep_2" }),
        Calls.call()
      )
      const more = Calls.call()
      yield* store.appendShadows(
        Calls.inPartition(partition, [
          Calls.shadow(shadowed, { ...of, latencyMillis: 20 }),
          Calls.shadow(more, { ...of, latencyMillis: 30, agrees: false }),
          Calls.shadow(Calls.call(), { ...of, latencyMillis: 30, agrees: null }),
          Calls.shadow(Calls.call(), { ...of, error: "timeout", latencyMillis: 1, agrees: null }),
          Calls.shadow(more, { deployment: "dep_2" }),
          Calls.shadow(Calls.call(), { ...of, verifies: true })
        ])
      )
      assert.deepStrictEqual(yield* store.figures(partition, "dep_1"), {
        calls: { upstream: 2, student: 2, shadow: 1, upstream_fallback: 1, mixed: 1 },
        failed: 1,
        shadowed: 4,
        shadowFailed: 1,
        compared: 2,
        agreed: 1,
        studentMillisMean: (40 + 20 + 30 + 30) / 4,
        upstreamMillisMean: 400,
        upstreamCostMicros: 45,
        studentMicros: 7,
        upstreamCostedCalls: 4,
        partialCostMicros: 2,
        partialCostedCalls: 1,
        verificationCostMicros: 7,
        verificationCostedCalls: 1,
        questions: [],
        shadowQuestions: []
      })
      assert.deepStrictEqual(yield* store.figures(others[0], "dep_1"), nothing)
      yield* append(
        Calls.call({ deployment: "dep_3", servedBy: "upstream_fallback", latencyMillis: 60 }),
        Calls.call({ deployment: "dep_3", servedBy: "upstream_fallback", latencyMillis: 80 }),
        Calls.call({ deployment: "dep_3", servedBy: "upstream_fallback", latencyMillis: 999, outcome: "failed" })
      )
      assert.strictEqual((yield* store.figures(partition, "dep_3")).upstreamMillisMean, 70)
    })
  )

  it.effect("figures of a deployment count its questions, and who answered them (P1365)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const of = { deployment: "dep_1", endpoint: "decisions" } as const
      const idOf = (letter: string) => `qst_${letter.repeat(26)}` as const
      const decision = (question: string, servedBy: "student" | "upstream", name: string | null = null) => ({
        question: idOf(question),
        name,
        kind: "predicate" as const,
        probabilities: [0.25, 0.75],
        refusal: false,
        served_by: servedBy
      })
      const odd = "\u0000 \ud800 quoted \ud83d\ude00"
      const written = "\ufffd \ufffd quoted \ud83d\ude00"
      yield* append(
        Calls.call({ ...of, decisions: [decision("a", "student"), decision("b", "upstream", odd)] }),
        Calls.call({ ...of, decisions: [decision("a", "upstream", "angry"), decision("c", "student")] }),
        Calls.call({ ...of, decisions: [decision("a", "student", "angry")] }),
        Calls.call({ ...of, outcome: "failed", decisions: [] }),
        Calls.call({ deployment: "dep_2", decisions: [decision("c", "student")] }),
        Calls.call({ decisions: [decision("c", "student")] })
      )
      const { questions } = yield* store.figures(partition, "dep_1")
      const shown = questions.map(({ name, ...counts }) => ({
        ...counts,
        name: name === null ? null : name.toWellFormed().replace("\u0000", "\ufffd")
      }))
      assert.deepStrictEqual(shown, [
        { question: idOf("a"), name: "angry", asked: 3, answeredHere: 2 },
        { question: idOf("b"), name: written, asked: 1, answeredHere: 0 },
        { question: idOf("c"), name: null, asked: 1, answeredHere: 1 }
      ])
      assert.deepStrictEqual((yield* store.figures(others[0], "dep_1")).questions, [])
    })
  )

  it.effect("figures of a deployment count the questions on which its student in shadow was compared (P1650)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      const idOf = (letter: string) => `qst_${letter.repeat(26)}`
      const calls = Array.from({ length: 4 }, () => Calls.call())
      yield* append(...calls)
      const [first, second, third, fourth] = calls
      const said = (...decisions: ReadonlyArray<object>) => JSON.stringify({ decisions })
      const same = { question: idOf("a"), agrees: true, difference: 0 }
      const other = { question: idOf("b"), name: "topic \u0000", agrees: false, difference: 0.5 }
      const of = { deployment: "dep_1" } as const
      const results = [
        Calls.shadow(first!, { ...of, message: said({ ...same, name: "angry" }, other) }),
        Calls.shadow(second!, { ...of, message: said({ ...same, name: null, agrees: false }) }),
        Calls.shadow(third!, { ...of, message: '{"role":"assistant","content":"\\u0000"}' }),
        Calls.shadow(fourth!, { ...of, message: said(same), verifies: true }),
        Calls.shadow(fourth!, { deployment: "dep_2", message: said(same) })
      ]
      yield* store.appendShadows(Calls.inPartition(partition, results))
      const { shadowQuestions } = yield* store.figures(partition, "dep_1")
      const shown = shadowQuestions.map(({ name, ...counts }) => ({
        ...counts,
        name: name?.replace("\u0000", "\ufffd") ?? null
      }))
      assert.deepStrictEqual(shown, [
        { question: idOf("a"), name: "angry", compared: 2, agreed: 1 },
        { question: idOf("b"), name: "topic \ufffd", compared: 1, agreed: 0 }
      ])
      assert.deepStrictEqual((yield* store.figures(others[0], "dep_1")).shadowQuestions, [])
    })
  )

  it.effect(
    "the first and the last calls of a deployment since a time are read in the order of their ids, and counted (P1151)",
    () =>
      Effect.gen(function* () {
        const { append, others, partition, store } = yield* open
        const since = Fresh.start + 2
        const read = (order: "oldest" | "newest", limit: number, from = since) =>
          store.servedCalls(partition, "dep_1", from, { order, limit })
        assert.deepStrictEqual(yield* read("oldest", 5), [])
        const answers = [
          { servedBy: "student", confidence: 0.75, fallbackReason: null },
          { servedBy: "upstream_fallback", confidence: 0.25, fallbackReason: "confidence" },
          { servedBy: "upstream", confidence: null, fallbackReason: null },
          { servedBy: "mixed", confidence: null, fallbackReason: "failed" }
        ] as const
        const before = Calls.call({ deployment: "dep_1", createdAt: Fresh.start + 1, servedBy: "student" })
        const calls = answers.map((answer, nth) =>
          Calls.call({ ...answer, deployment: "dep_1", createdAt: since + nth })
        )
        const gone = Calls.call({ deployment: "dep_1", createdAt: since + 1 })
        yield* append(calls[2]!, calls[0]!, before, gone, Calls.call({ deployment: "dep_2", createdAt: since }))
        yield* append(calls[3]!, calls[1]!, Calls.call({ createdAt: since }))
        yield* store.remove(partition, gone.id)
        const served = calls.map(({ id }, nth) => ({ id, ...answers[nth]! }))
        assert.deepStrictEqual(yield* read("oldest", 5), served)
        assert.deepStrictEqual(yield* read("newest", 5), served.toReversed())
        assert.deepStrictEqual(yield* read("oldest", 2), served.slice(0, 2))
        assert.deepStrictEqual(yield* read("newest", 1), served.slice(3))
        assert.lengthOf(yield* read("newest", 9, 0), 5)
        assert.strictEqual(yield* store.servedCount(partition, "dep_1", since), 4)
        assert.strictEqual(yield* store.servedCount(partition, "dep_1", 0), 5)
        assert.strictEqual(yield* store.servedCount(others[0], "dep_1", 0), 0)
        assert.deepStrictEqual(yield* store.servedCalls(others[0], "dep_1", 0, { order: "oldest", limit: 5 }), [])
      })
  )

  it.effect(
    "what verifies is taken once, by a transaction that commits, oldest first, and gone with its call (P214)",
    () =>
      Effect.gen(function* () {
        const { append, partition, store } = yield* open
        const storage = yield* Storage
        const [gone, ...calls] = Calls.calls(3)
        const results = calls.map((call, nth) => Calls.shadow(call, { verifies: true, createdAt: Fresh.start - nth }))
        yield* append(gone!, ...calls)
        yield* store.appendShadows(
          Calls.inPartition(partition, [
            ...results,
            Calls.shadow(gone!, { verifies: true }),
            Calls.shadow(Calls.call())
          ])
        )
        yield* store.remove(partition, gone!.id)
        const take = (limit: number) =>
          Effect.map(store.takeVerifications(limit), (taken) =>
            taken.filter((one) => one.partition.key === partition.key).map(({ value }) => value)
          )
        const broken = Effect.andThen(take(1_000), Effect.fail("broken"))
        yield* Effect.flip(storage.transaction(broken))
        assert.deepStrictEqual(yield* storage.transaction(take(1_000)), results.toReversed())
        yield* store.appendShadows(Calls.inPartition(partition, results))
        assert.deepStrictEqual(yield* storage.transaction(take(1_000)), [])
      })
  )

  it.effect("comparisons of a student with the upstream are counted since a time, and by answer (P210)", () =>
    Effect.gen(function* () {
      const { others, partition, store } = yield* open
      const nothing = { compared: 0, agreed: 0, mostFrequent: 0 }
      assert.deepStrictEqual(yield* store.comparisons(partition, "dep_1", 0, 0), nothing)
      const of = { deployment: "dep_1", createdAt: 1_000, answer: 7 } as const
      const result = (fields: Partial<ShadowResult>) => Calls.shadow(Calls.call(), { ...of, ...fields })
      yield* store.appendShadows(
        Calls.inPartition(partition, [
          result({}),
          result({ agrees: false }),
          result({ answer: 0 }),
          result({ createdAt: 999, answer: 8 }),
          // Compared with another student, or without a comparison.
          result({ answer: null }),
          result({ agrees: null }),
          result({ deployment: "dep_2" }),
          result({ verifies: true })
        ])
      )
      assert.deepStrictEqual(yield* store.comparisons(partition, "dep_1", 1_000, 0), {
        compared: 3,
        agreed: 2,
        mostFrequent: 2
      })
      assert.strictEqual((yield* store.comparisons(partition, "dep_1", 999, 0)).compared, 4)
      assert.deepStrictEqual(yield* store.comparisons(partition, "dep_1", 1_001, 0), nothing)
      assert.deepStrictEqual(yield* store.comparisons(others[0], "dep_1", 0, 0), nothing)
    })
  )

  it.effect("comparisons are counted of a confidence and above, and at 0 those without one too (P1143)", () =>
    Effect.gen(function* () {
      const { partition, store } = yield* open
      const of = { deployment: "dep_1", createdAt: 1_000, answer: 7, agrees: true } as const
      const confidences = [null, 0, 0.5, 0.75, 1]
      yield* store.appendShadows(
        Calls.inPartition(
          partition,
          confidences.map((confidence) => Calls.shadow(Calls.call(), { ...of, confidence }))
        )
      )
      for (const [least, compared] of [
        [0, 5],
        [0.25, 3],
        [0.75, 2],
        [1, 1]
      ] as const) {
        const found = yield* store.comparisons(partition, "dep_1", 0, least)
        assert.deepStrictEqual(found, { compared, agreed: compared, mostFrequent: compared })
      }
    })
  )

  it.effect("comparisons are counted by periods from the first to the last, what verifies among them (P332)", () =>
    Effect.gen(function* () {
      const { others, partition, store } = yield* open
      const over = (periods: number, since = 1_000) => store.comparisonsByPeriod(partition, "dep_1", since, periods)
      assert.deepStrictEqual(yield* over(3), [])
      const result = (createdAt: number, fields: Partial<ShadowResult> = {}) =>
        Calls.shadow(Calls.call(), { deployment: "dep_1", answer: 7, createdAt, ...fields })
      const one = [result(1_000, { agrees: false })]
      yield* store.appendShadows(Calls.inPartition(partition, one))
      assert.deepStrictEqual(yield* over(3), [{ compared: 1, agreed: 0, lastAt: 1_000 }])
      yield* store.appendShadows(
        Calls.inPartition(partition, [
          result(1_010),
          result(1_299, { agrees: false, verifies: true, answer: null }),
          result(1_020, { verifies: true }),
          // Before, of another deployment, of another student's answers, and without anything to compare.
          result(999),
          result(1_100, { deployment: "dep_2" }),
          result(1_100, { answer: null }),
          result(1_100, { agrees: null })
        ])
      )
      const [first, last] = [
        { compared: 3, agreed: 2, lastAt: 1_020 },
        { compared: 1, agreed: 0, lastAt: 1_299 }
      ]
      assert.deepStrictEqual(yield* over(3), [first, last])
      assert.deepStrictEqual(yield* over(1), [{ compared: 4, agreed: 2, lastAt: 1_299 }])
      assert.deepStrictEqual(yield* over(3, 1_299), [last])
      assert.deepStrictEqual(yield* store.comparisonsByPeriod(others[0], "dep_1", 0, 3), [])
    })
  )
})
