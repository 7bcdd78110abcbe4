/** CallStore's promises about many calls at once, and about feedback. */
import { assert } from "@effect/vitest"
import { type CallScan, CallStore } from "@limbeck/capture/call/CallStore"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import { firstPage } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Calls from "../fixtures/Calls.ts"
import * as Fresh from "../fixtures/Fresh.ts"
import { describePort } from "./AllPorts.ts"
import { pageCases } from "./pages.ts"

const everything: CallScan = { createdAfter: null, createdBefore: null, feedbackMin: null }

const open = Effect.map(CallStore, (store) => {
  const { mine, others } = Fresh.neighbours()
  const append = (...calls: ReadonlyArray<CapturedCall>) => store.append(Calls.inPartition(mine, calls))
  const say = (fields: Partial<Feedback>) => {
    const feedback = Calls.feedback(fields)
    return Effect.as(store.insertFeedback(mine, feedback), feedback)
  }
  const scan = (how: Partial<CallScan>, partition: Partition = mine) =>
    Effect.map(Stream.runCollect(store.scan(partition, { ...everything, ...how })), idsOf)
  return { store, partition: mine, others, append, say, scan }
})

const idsOf = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

export const suite = describePort("CallStore at large", (it) => {
  it.effect("a scan meets every call once, newest first, also when they are many or large (P61)", () =>
    Effect.gen(function* () {
      const { append, partition, scan, store } = yield* open
      const many = Calls.calls(2_345)
      const large = Calls.calls(5, (n) => ({
        createdAt: Fresh.start + 5_000 + n,
        request: `${n}`.repeat(3 * 2 ** 20),
        response: "ü\0".repeat(2 ** 20)
      }))
      yield* append(...many)
      yield* append(...large)
      assert.deepStrictEqual(yield* scan({}), idsOf([...many, ...large]).toReversed())
      const [newest] = yield* Stream.runCollect(Stream.take(store.scan(partition, everything), 1))
      const { id, request, requestIsJson, response, responseIsJson } = large[4]!
      assert.deepStrictEqual(
        [newest?.id, newest?.requestIsJson, newest?.responseIsJson],
        [id, requestIsJson, responseIsJson]
      )
      // Asserts without printing the texts.
      assert.isTrue(newest?.request === request && newest.response === response)
    })
  )

  it.effect("a scan keeps to its filters and its bounds of time", () =>
    Effect.gen(function* () {
      const { append, partition, scan, store, others: neighbours } = yield* open
      const calls = Calls.calls(1_500, (n) => ({
        tags: n % 2 === 0 ? ["even", "all"] : ["all"],
        servedBy: n % 5 === 0 ? ("student" as const) : ("upstream" as const)
      }))
      yield* append(...calls)
      const ids = (wanted: (n: number) => boolean) => idsOf(calls.filter((_, n) => wanted(n))).toReversed()
      assert.deepStrictEqual(
        yield* scan({ tags: ["all", "even"] }),
        ids((n) => n % 2 === 0)
      )
      assert.deepStrictEqual(
        yield* scan({ servedBy: ["upstream", "shadow"], tags: ["even"] }),
        ids((n) => n % 2 === 0 && n % 5 !== 0)
      )
      assert.deepStrictEqual(
        yield* scan({ tags: ["all"], withoutTags: ["even", "none"] }),
        ids((n) => n % 2 !== 0)
      )
      const [kind, ...others] = yield* store.kindsOf(partition, {
        ...everything,
        servedBy: ["student"],
        withoutTags: ["even"]
      })
      assert.deepStrictEqual([kind?.calls, others.length], [150, 0])
      const [newest] = (yield* store.page(partition, { withoutTags: ["all"] }, firstPage(1))).items
      assert.isUndefined(newest)
      const bounds = { createdAfter: Fresh.start + 100, createdBefore: Fresh.start + 1_400 }
      assert.deepStrictEqual(
        yield* scan(bounds),
        ids((n) => n > 100 && n < 1_400)
      )
      for (const other of neighbours) assert.deepStrictEqual(yield* scan({}, other), [])
    })
  )

  it.effect(
    "the kinds of a scan are its endpoints, responders, outcomes and deployments, with the calls of each (P1066)",
    () =>
      Effect.gen(function* () {
        const { append, others, partition, say, store } = yield* open
        const calls = Calls.calls(60, (n) => ({
          endpoint: n % 3 === 0 ? ("embeddings" as const) : ("messages" as const),
          servedBy: n % 5 === 0 ? ("student" as const) : ("upstream" as const),
          outcome: n % 4 === 0 ? ("failed" as const) : ("succeeded" as const),
          tags: n < 30 ? ["red", "all"] : []
        }))
        yield* append(...calls)
        yield* say({ call: calls[1]!.id, value: 1 })
        const kinds = (how: Partial<CallScan>, of = partition) =>
          Effect.map(store.kindsOf(of, { ...everything, ...how }), (found) =>
            found
              .map(({ calls, endpoint, outcome, servedBy }) => `${endpoint} ${servedBy} ${outcome} ${calls}`)
              .toSorted()
          )
        const expected = (wanted: (n: number) => boolean) => {
          const names = calls.flatMap(({ endpoint, outcome, servedBy }, n) =>
            wanted(n) ? [`${endpoint} ${servedBy} ${outcome}`] : []
          )
          return [...new Set(names)]
            .map((name) => `${name} ${names.filter((other) => other === name).length}`)
            .toSorted()
        }
        assert.deepStrictEqual(
          yield* kinds({}),
          expected(() => true)
        )
        assert.deepStrictEqual(
          yield* kinds({ tags: ["all", "red"], endpoints: ["messages", "responses"] }),
          expected((n) => n < 30 && n % 3 !== 0)
        )
        assert.deepStrictEqual(
          yield* kinds({ createdAfter: Fresh.start + 10, createdBefore: Fresh.start + 50 }),
          expected((n) => n > 10 && n < 50)
        )
        const verifying = Calls.call({ verifies: { call: calls[0]!.id, deployment: "dep_9" }, tags: ["blue"] })
        yield* append(verifying, Calls.call({ deployment: "dep_9", tags: ["blue"] }))
        const ofBlue = yield* store.kindsOf(partition, { ...everything, tags: ["blue"] })
        assert.sameDeepMembers(
          ofBlue.map(({ calls, deployment, verifies }) => ({ calls, deployment, verifies })),
          [true, false].map((verifies) => ({ calls: 1, deployment: "dep_9", verifies }))
        )
        const [scanned] = yield* Stream.runCollect(store.scan(partition, { ...everything, verifies: true }))
        assert.deepStrictEqual([scanned?.id, scanned?.verifies], [verifying.id, verifying.verifies])
        assert.deepStrictEqual(yield* kinds({ feedbackMin: 1 }), ["messages upstream succeeded 1"])
        for (const other of others) assert.deepStrictEqual(yield* kinds({}, other), [])
      })
  )

  it.effect("a scan tells who answered which question of a request for decisions (P1367)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const decision = (servedBy: "student" | "upstream") => ({
        question: `qst_${"a".repeat(26)}` as const,
        name: "\u0000",
        kind: "predicate" as const,
        probabilities: [0.25, 0.75],
        refusal: false,
        served_by: servedBy
      })
      const decisions = [decision("student"), decision("upstream")]
      yield* append(Calls.call(), Calls.call({ endpoint: "decisions", servedBy: "mixed", decisions }))
      const [mixed, plain] = yield* Stream.runCollect(store.scan(partition, everything))
      assert.deepStrictEqual(mixed?.decisions, decisions)
      assert.isUndefined(plain?.decisions)
    })
  )

  it.effect("a scan meets no call twice while others come and go (P61)", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const calls = Calls.calls(2_000)
      yield* append(...calls)
      const seen = yield* Stream.runFoldEffect(
        store.scan(partition, everything),
        (): Array<string> => [],
        Effect.fnUntraced(function* (seen, { id }) {
          if (seen.length % 500 === 0) {
            yield* append(Calls.call({ createdAt: Fresh.start + 10_000 + seen.length }))
            yield* store.remove(partition, calls[0]!.id)
          }
          seen.push(id)
          return seen
        })
      )
      assert.strictEqual(new Set(seen).size, seen.length)
      assert.isAtLeast(seen.length, 1_999)
    })
  )

  it.effect(
    "a scan by feedback meets what is well said of, by id or by external id, before or after the call (P62)",
    () =>
      Effect.gen(function* () {
        const { append, others, partition, say, scan, store } = yield* open
        yield* say({ externalId: "early", value: 0.9 })
        const calls = Calls.calls(6, (n) => ({ externalId: [null, "early", "late", "bad", "early", null][n] ?? null }))
        yield* append(...calls)
        const [byId, early, , bad, earlyToo] = idsOf(calls)
        yield* say({ call: byId!, value: -1 })
        yield* say({ call: byId!, value: 0.5 })
        yield* say({ externalId: "bad", value: 0.49 })
        yield* say({ call: early!, value: 0.1 })
        yield* store.insertFeedback(others[0], Calls.feedback({ call: bad!, externalId: "bad", value: 9 }))
        assert.deepStrictEqual(yield* scan({ feedbackMin: 0.5 }), [earlyToo, early, byId])
        assert.deepStrictEqual(yield* scan({ feedbackMin: 0.9 }), [earlyToo, early])
        assert.deepStrictEqual(yield* scan({ feedbackMin: 0.5, externalId: "early" }), [earlyToo, early])
        assert.deepStrictEqual(yield* scan({ feedbackMin: 1 }), [])
        assert.strictEqual((yield* scan({ feedbackMin: -1 })).length, 4)
        assert.strictEqual((yield* store.page(partition, {}, firstPage(10))).items.length, 6)
      })
  )

  it.effect("pruning removes the oldest that were made before, so many at a time, of every partition (P64)", () =>
    Effect.gen(function* () {
      const { append, others, partition, store } = yield* open
      // Older than any of another case, because pruning knows no partition.
      const at = (n: number) => 1_000_000_000_000 + n
      const mine = Calls.calls(30, (n) => ({ createdAt: at(n), id: Fresh.id("call", at(n)), tags: ["red"] }))
      const theirs = Calls.calls(5, (n) => ({ createdAt: at(n), id: Fresh.id("call", at(n)) }))
      yield* append(...mine)
      yield* store.append(Calls.inPartition(others[1], theirs))
      yield* store.appendShadows(
        Calls.inPartition(
          partition,
          mine.map((call) => Calls.shadow(call))
        )
      )
      assert.strictEqual(yield* store.prune(at(0), 100), 0)
      assert.strictEqual(yield* store.prune(at(20), 10), 10)
      assert.strictEqual(yield* store.prune(at(20), 10), 10)
      assert.strictEqual(yield* store.prune(at(20), 10), 5)
      assert.strictEqual(yield* store.prune(at(20), 10), 0)
      const left = idsOf((yield* store.page(partition, { tags: ["red"] }, firstPage(100))).items)
      assert.deepStrictEqual(left, idsOf(mine.slice(20)).toReversed())
      assert.deepStrictEqual(yield* store.shadowsOf(partition, mine[19]!.id), [])
      assert.strictEqual((yield* store.shadowsOf(partition, mine[20]!.id)).length, 1)
      assert.isTrue(Option.isNone(yield* store.find(others[1], theirs[0]!.id)))
    })
  )

  it.effect("what was said of a call by its id goes with it, and what was said of external ids stays (P106)", () =>
    Effect.gen(function* () {
      const { append, partition, say, store } = yield* open
      const at = (n: number) => 950_000_000_000 + n
      const [old, removed, young] = [0, 1, 5].map((n) =>
        Calls.call({ createdAt: at(n), id: Fresh.id("call", at(n)), externalId: "x" })
      )
      yield* append(old!, removed!, young!)
      yield* store.remove(partition, removed!.id)
      yield* say({ call: old!.id, externalId: "x", createdAt: at(9) })
      yield* say({ call: old!.id, createdAt: at(9) })
      yield* say({ call: removed!.id, createdAt: at(9) })
      const kept = [
        yield* say({ externalId: "x", createdAt: at(0) }),
        yield* say({ call: young!.id, createdAt: at(5), question: "qst_\u0000 team" })
      ]
      assert.strictEqual(yield* store.prune(at(5), 100), 2)
      const { items } = yield* store.pageFeedback(partition, {}, firstPage(10))
      assert.sameDeepMembers([...items], kept)
    })
  )

  it.effect("feedback that was given before goes, so much at a time, of every partition", () =>
    Effect.gen(function* () {
      const { others, partition, say, store } = yield* open
      const at = (n: number) => 800_000_000_000 + n
      const said = yield* Effect.forEach(
        Array.from({ length: 30 }, (_, n) => n),
        (n) => say({ externalId: `x${n % 3}`, createdAt: at(n) })
      )
      yield* Effect.forEach([0, 1, 2, 3, 4], (n) =>
        store.insertFeedback(others[1], Calls.feedback({ externalId: "x", createdAt: at(n) }))
      )
      const counts = yield* Effect.forEach([10, 10, 10, 10], (limit) => store.pruneFeedback(at(20), limit))
      assert.deepStrictEqual(counts, [10, 10, 5, 0])
      const { items } = yield* store.pageFeedback(partition, {}, firstPage(100))
      assert.deepStrictEqual(idsOf(items), idsOf(said.slice(20)).toReversed())
      const theirs = yield* store.pageFeedback(others[1], {}, firstPage(100))
      assert.deepStrictEqual(theirs.items, [])
    })
  )

  it.effect(
    "feedback that awaited its call for long goes, unless that has come or it names an external id too (P101)",
    () =>
      Effect.gen(function* () {
        const { append, others, partition, store } = yield* open
        const at = (n: number) => 700_000_000_000 + n
        const ids = [0, 1, 2, 3, 4].map((n) => Fresh.id("call", at(n)))
        const [come, never, other, removed, late] = ids
        const awaits = (call: string | undefined, fields: Partial<Feedback> = {}, of = partition) => {
          const feedback = Calls.feedback({ call: call ?? null, createdAt: at(0), ...fields })
          return Effect.map(store.insertFeedback(of, feedback, true), (isStored) => {
            assert.isTrue(isStored)
            return feedback
          })
        }
        const kept = [yield* awaits(come), yield* awaits(other, { externalId: "x" }), yield* awaits(removed)]
        yield* awaits(never)
        yield* awaits(come, {}, others[0])
        const young = yield* awaits(late, { createdAt: at(20) })
        yield* append(Calls.call({ id: come!, createdAt: at(0) }), Calls.call({ id: removed!, createdAt: at(3) }))
        yield* store.remove(partition, removed!)
        const listed = (of = partition) =>
          Effect.map(store.pageFeedback(of, {}, firstPage(10)), ({ items }) => idsOf(items))
        assert.lengthOf(yield* listed(), 5)
        assert.deepStrictEqual(yield* store.dropUnjoined(at(10), 100), { kept: 3, dropped: 2 })
        assert.deepStrictEqual(yield* store.dropUnjoined(at(10), 100), { kept: 0, dropped: 0 })
        assert.sameMembers(yield* listed(), idsOf([...kept, young]))
        assert.deepStrictEqual(yield* listed(others[0]), [])
        assert.deepStrictEqual(yield* store.dropUnjoined(at(30), 100), { kept: 0, dropped: 1 })
        // What awaits nothing any more stays, also when its call has gone.
        yield* store.remove(partition, come!)
        assert.deepStrictEqual(yield* store.dropUnjoined(at(30), 100), { kept: 0, dropped: 0 })
        assert.sameMembers(yield* listed(), idsOf(kept))
        // Other cases count what goes.
        yield* store.prune(at(50), 100)
      })
  )

  it.effect("feedback that would await a call that was removed is not stored", () =>
    Effect.gen(function* () {
      const { append, partition, store } = yield* open
      const call = Calls.call()
      yield* append(call)
      yield* store.remove(partition, call.id)
      assert.isFalse(yield* store.insertFeedback(partition, Calls.feedback({ call: call.id }), true))
      assert.isTrue(yield* store.insertFeedback(partition, Calls.feedback({ call: call.id })))
    })
  )

  it.effect("sweepers that prune at once remove each call once", () =>
    Effect.gen(function* () {
      const { append, store } = yield* open
      const at = (n: number) => 900_000_000_000 + n
      yield* append(...Calls.calls(100, (n) => ({ createdAt: at(n), id: Fresh.id("call", at(n)) })))
      const sweeping = Effect.forEach(Array.from({ length: 10 }), () => store.prune(at(100), 20))
      const counts = yield* Effect.all([sweeping, sweeping, sweeping], { concurrency: "unbounded" })
      assert.strictEqual(
        counts.flat().reduce((sum, count) => sum + count, 0),
        100
      )
    })
  )

  pageCases(
    it,
    Effect.map(open, ({ partition, say, store }) => ({
      insert: (createdAt: number) => Effect.map(say({ createdAt, externalId: "x" }), ({ id }) => id),
      page: (request) => store.pageFeedback(partition, {}, request)
    }))
  )

  it.effect("feedback comes back as it was, by its call, its external id and its name", () =>
    Effect.gen(function* () {
      const { append, others, partition, say, store } = yield* open
      const call = Calls.call({ externalId: "x" })
      const giver = { kind: "token", id: Fresh.id("tok") } as const
      const later = yield* say({ externalId: "x", value: -0.25, comment: "a\0b \ud800" })
      yield* append(call)
      const said = yield* say({ call: call.id, name: "tone", value: 1e300, comment: "" })
      const both = yield* say({ call: call.id, externalId: "x", value: 0, givenBy: giver })
      const other = yield* say({ externalId: "y", name: "tone" })
      const page = (filter: Parameters<typeof store.pageFeedback>[1], limit = 10, of = partition) =>
        Effect.map(store.pageFeedback(of, filter, firstPage(limit)), ({ items }) => items)
      assert.deepStrictEqual(yield* page({}), [other, both, said, later])
      assert.deepStrictEqual(yield* page({ call: call.id }), [both, said, later])
      assert.deepStrictEqual(yield* page({ call: call.id }, 2), [both, said])
      assert.deepStrictEqual(yield* page({ call: call.id, name: "tone" }), [said])
      assert.deepStrictEqual(yield* page({ call: call.id, externalId: "x" }), [both, later])
      assert.deepStrictEqual(yield* page({ externalId: "x" }), [both, later])
      assert.deepStrictEqual(yield* page({ name: "tone" }), [other, said])
      assert.deepStrictEqual(yield* page({ call: Fresh.id("call") }), [])
      assert.deepStrictEqual(yield* page({ name: "\0" }), [])
      for (const neighbour of others) assert.deepStrictEqual(yield* page({ call: call.id }, 10, neighbour), [])
    })
  )

  it.effect("feedback on a row's prompt comes back with who gave it, until it is removed (P1565)", () =>
    Effect.gen(function* () {
      const { others, partition, say, store } = yield* open
      const operator = { kind: "operator", id: null } as const
      const said = yield* say({ prompt: "00ff", name: "correct", comment: "billing", givenBy: operator })
      const kept = yield* say({ prompt: "00ff", name: "correct" })
      const page = Effect.map(store.pageFeedback(partition, { name: "correct" }, firstPage(10)), ({ items }) => items)
      assert.deepStrictEqual(yield* page, [kept, said])
      assert.isFalse(yield* store.removeFeedback(others[0], said.id))
      assert.isTrue(yield* store.removeFeedback(partition, said.id))
      assert.isFalse(yield* store.removeFeedback(partition, said.id))
      assert.deepStrictEqual(yield* page, [kept])
    })
  )
})
