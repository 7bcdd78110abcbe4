/** The tee: the recorded parts of a call, and the wait for the record. */
import { assert, describe, it } from "@effect/vitest"
import * as CallHolds from "@limbeck/billing/calls/CallHolds"
import * as TokenUses from "@limbeck/billing/limits/TokenUses"
import * as Body from "@limbeck/core/bytes/Body"
import type * as Flow from "@limbeck/core/bytes/Flow"
import { notFound } from "@limbeck/core/errors/Errors"
import * as Partition from "@limbeck/core/partition/Partition"
import * as NodeDecoder from "@limbeck/node/capture/NodeDecoder"
import { partition, range } from "@limbeck/testing/fixtures/CallRecords"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { CallRecord, CaptureRecord } from "../src/call/CallRecord.ts"
import { TeacherRefused, UpstreamUnreachable } from "../src/Errors.ts"
import { Recorder } from "../src/journal/Recorder.ts"
import { CaptureLimits } from "../src/Limits.ts"
import type { CallError } from "../src/source/Forward.ts"
import type { Source } from "../src/source/Source.ts"
import type { Answer, Responder } from "../src/tape/Answer.ts"
import * as Capture from "../src/tape/Capture.ts"
import type { CallFacts } from "../src/tape/internal/RecordOf.ts"
import { endsWithDone } from "../src/tape/internal/Tape.ts"
import * as Sampling from "../src/tape/Sampling.ts"
import { UpstreamFailure } from "../src/upstream/Upstream.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const textOf = (chunks: ReadonlyArray<Uint8Array>) => Buffer.concat(chunks).toString()

const facts: CallFacts = {
  partition: Partition.fromKey(partition),
  id: "call_00000000000000000000000001",
  endpoint: "chat.completions",
  model: "gpt",
  tags: ["a"],
  externalId: "order 5",
  request: bytes("{}"),
  isCaptured: true,
  statusOf: (error) => (error._tag === "TeacherRefused" ? error.upstreamStatus : 502)
}

const by: Responder = {
  servedBy: "upstream",
  deployment: null,
  source: null,
  sourceModel: "gpt",
  fallbackReason: null,
  confidence: null
}

const ended: Flow.Portion<UpstreamFailure> = { _tag: "Ended", first: null }

/** Pieces that are all there, each a portion of its own, and then `end`. */
const flowing = (pieces: ReadonlyArray<string>, end: Flow.Portion<UpstreamFailure> = ended): Answer["body"] => {
  const portions: Array<Flow.Portion<UpstreamFailure>> = pieces.map((piece) => ({
    _tag: "Chunks",
    chunks: [bytes(piece)],
    first: null
  }))
  return Body.flowing({ take: () => portions.shift() ?? end, onAvailable: () => {} })
}

const answer = (pieces: ReadonlyArray<string>, headers: Answer["headers"] = {}, status = 200): Answer => ({
  status,
  headers,
  body: flowing(pieces),
  by
})

const streamed = { "content-type": "text/event-stream; charset=utf-8" }

/** A recorder that keeps its records once opened. */
const recording = (isOpen = true) => {
  const kept: Array<CaptureRecord> = []
  const gate = Deferred.makeUnsafe<void>()
  if (isOpen) Deferred.doneUnsafe(gate, Exit.void)
  const recorder = Recorder.of({
    record: (record) =>
      Effect.andThen(
        Deferred.await(gate),
        Effect.sync(() => void kept.push(record))
      ),
    figures: Effect.succeed({ waiting: 0, dropped: 0, trouble: null }),
    settle: Effect.void,
    cut: Effect.void
  })
  return {
    kept,
    open: Deferred.succeed(gate, undefined),
    layer: Layer.mergeAll(Layer.succeed(Recorder, recorder), CallHolds.none, TokenUses.none, NodeDecoder.layer)
  }
}

const around = (ask: Effect.Effect<Answer, CallError>, its: Partial<Responder> = {}) =>
  Effect.flatMap(Capture.make, (capture) => capture.recordAnswer(facts, { by: { ...by, ...its }, ask }))

/** The client's view of an answer, and its record. */
const readThrough = (ask: Effect.Effect<Answer, CallError>, its: Partial<Responder> = {}) => {
  const { kept, layer } = recording()
  return Effect.gen(function* () {
    const read: Array<Uint8Array> = []
    const body = Effect.flatMap(around(ask, its), (answered) =>
      Stream.runForEach(Body.toStream(answered.body), (chunk) => Effect.sync(() => void read.push(chunk)))
    )
    const result = yield* Effect.result(Effect.scoped(body))
    const [record, ...others] = kept as ReadonlyArray<CallRecord> // Nothing else is recorded here.
    assert.isEmpty(others)
    return { read: textOf(read), record, failed: Result.isFailure(result) }
  }).pipe(Effect.provide(layer))
}

const whole = (record: CallRecord | undefined) => textOf(record?.response ?? [])

describe("what is written down", () => {
  it.effect("an answer that came whole is the very bytes that passed", () =>
    Effect.gen(function* () {
      for (const pieces of [["one"], ["o", "n", "e"], ["o", "ne"]]) {
        const { read, record } = yield* readThrough(Effect.succeed(answer(pieces, { "content-type": "text/plain" })))
        assert.deepStrictEqual([read, whole(record)], ["one", "one"])
        const { externalId, outcome, servedBy, statusCode, tags } = record ?? {}
        assert.deepStrictEqual([outcome, statusCode, servedBy], ["succeeded", 200, "upstream"])
        assert.deepStrictEqual([tags, externalId, record?.contentType], [["a"], "order 5", "text/plain"])
      }
    })
  )

  it.effect("an answer without a body is one, too", () =>
    Effect.gen(function* () {
      for (const empty of [answer([], {}, 204), answer([], { "content-length": "0" })]) {
        const { kept, layer } = recording()
        yield* Effect.provide(Effect.scoped(around(Effect.succeed(empty))), layer)
        assert.deepStrictEqual(
          kept.map((record) => record.kind === "call" && record.outcome),
          ["succeeded"]
        )
      }
    })
  )

  it.effect("an upstream's refusal has failed, and passes", () =>
    Effect.gen(function* () {
      const { read, record } = yield* readThrough(Effect.succeed(answer(["slow down"], {}, 429)))
      assert.deepStrictEqual([read, record?.outcome, record?.statusCode], ["slow down", "failed", 429])
    })
  )

  it.effect("an answer that breaks off has failed, with what came of it", () =>
    Effect.gen(function* () {
      const error = new UpstreamFailure({ reason: "connection_reset" })
      const body = flowing(["one"], { _tag: "Broken", error, first: null })
      const { failed, record } = yield* readThrough(Effect.succeed({ ...answer([]), body }))
      assert.deepStrictEqual([failed, record?.outcome, whole(record)], [true, "failed", "one"])
    })
  )

  it.effect(
    "a source that does not answer has failed, with what the client is told; a refusal of ours is no call",
    () =>
      Effect.gen(function* () {
        const cases = [
          [new UpstreamUnreachable({ kind: "source", name: "teacher", reason: "did not answer" }), 502],
          [new TeacherRefused({ source: "teacher", upstreamStatus: 529 }), 529],
          [notFound("source", "src_1"), undefined]
        ] as const
        for (const [error, status] of cases) {
          const { failed, record } = yield* readThrough(Effect.fail(error))
          assert.isTrue(failed)
          assert.deepStrictEqual(record && [record.outcome, record.statusCode], status && ["failed", status])
        }
      })
  )

  it.effect(
    "a client that leaves is told from one that stays: before the head, after it, and after the end (P70)",
    () =>
      Effect.gen(function* () {
        const leaving = Effect.fnUntraced(function* (ask: Effect.Effect<Answer, CallError>, pieces: number) {
          const { kept, layer } = recording()
          const reading = Effect.flatMap(around(ask), ({ body }) =>
            Stream.runDrain(Stream.take(Body.toStream(body), pieces))
          )
          const scope = yield* Scope.make()
          yield* Effect.timeoutOption(Effect.provide(Scope.provide(reading, scope), layer), 0)
          yield* Scope.close(scope, Exit.void)
          return kept.map((record) => record.kind === "call" && [record.outcome, record.statusCode, whole(record)])
        })
        const three = Effect.sync(() => answer(["1", "2", "3"], { ...streamed, "content-length": "3" }))
        assert.deepStrictEqual(yield* leaving(three, 2), [["aborted", 200, "12"]])
        assert.deepStrictEqual(yield* leaving(three, 3), [["succeeded", 200, "123"]])
        const done = answer(["data: 1\n\n", "data: [DONE]\n\n", ": more"], streamed)
        assert.deepStrictEqual(yield* leaving(Effect.succeed(done), 2), [
          ["succeeded", 200, "data: 1\n\ndata: [DONE]\n\n"]
        ])
      })
  )

  it.live("a client that leaves while nobody has answered yet leaves a call that was aborted", () =>
    Effect.gen(function* () {
      const { kept, layer } = recording()
      yield* Effect.timeoutOption(Effect.provide(Effect.scoped(around(Effect.never)), layer), 100)
      assert.deepStrictEqual(
        kept.map((record) => record.kind === "call" && [record.outcome, record.statusCode]),
        [["aborted", null]]
      )
    })
  )

  it.effect("of a very long answer the beginning is kept, and all of it passes", () =>
    Effect.gen(function* () {
      const piece = "x".repeat(1024 ** 2)
      const pieces = range(0, CaptureLimits.capturedBytesMax / piece.length + 2).map(() => piece)
      const { read, record } = yield* readThrough(Effect.succeed(answer(pieces)))
      assert.strictEqual(read.length, piece.length * pieces.length)
      assert.deepStrictEqual([whole(record).length, record?.outcome], [CaptureLimits.capturedBytesMax, "succeeded"])
      assert.isTrue(record?.isCut)
    })
  )

  it.effect("an answer of exactly as many bytes as are kept is whole; one byte more is cut (P119)", () =>
    Effect.gen(function* () {
      for (const more of ["", "x"]) {
        const pieces = ["x".repeat(CaptureLimits.capturedBytesMax), more]
        const { record } = yield* readThrough(Effect.succeed(answer(pieces)))
        assert.deepStrictEqual([whole(record).length, record?.isCut], [CaptureLimits.capturedBytesMax, more !== ""])
      }
    })
  )

  it.effect("a source that captures nothing, or a share, is held to that by the id alone", () =>
    Effect.gen(function* () {
      const capture = { enabled: true, sample_rate: 0.25, durability: "journal" } as const
      const ids = range(0, 4_000).map((index) => `call_0${index}`)
      const kept = ids.filter((id) => Sampling.isKept(capture, id))
      assert.approximately(kept.length, 1_000, 120)
      assert.deepStrictEqual(
        ids.filter((id) => Sampling.isKept(capture, id)),
        kept
      )
      assert.isEmpty(ids.filter((id) => Sampling.isKept({ ...capture, sample_rate: 0 }, id)))
      assert.isEmpty(ids.filter((id) => Sampling.isKept({ ...capture, enabled: false, sample_rate: 1 }, id)))
      const source = { capture: { ...capture, enabled: false }, models: [] } as Partial<Source> as Source // No more is asked of it.
      const { record } = yield* readThrough(Effect.succeed({ ...answer(["one"]), by: { ...by, source } }), {
        source
      })
      assert.isUndefined(record)
    })
  )
})

describe("what waits for the record", () => {
  /** `before`: the bytes readable before the record is kept. */
  const assertHeld = (given: Answer, before: string) => {
    const { kept, layer, open } = recording(false)
    return Effect.gen(function* () {
      let read = ""
      let isEnded = false
      const { body } = yield* around(Effect.succeed(given))
      const reading = Effect.gen(function* () {
        yield* Stream.runForEach(Body.toStream(body), (chunk) =>
          Effect.sync(() => {
            read += textOf([chunk])
          })
        )
        isEnded = true
      })
      yield* Effect.forkChild(reading)
      for (const _ of range(0, 50)) yield* Effect.yieldNow
      assert.deepStrictEqual([read, isEnded, kept.length], [before, false, 0])
      yield* open
      for (const _ of range(0, 50)) yield* Effect.yieldNow
      assert.deepStrictEqual([isEnded, kept.length], [true, 1])
      assert.strictEqual(read, whole(kept[0] as CallRecord)) // Nothing else is recorded here.
    }).pipe(Effect.scoped, Effect.provide(layer))
  }

  it.effect("the last piece of an answer whose length is known, and nothing before it (P65)", () =>
    assertHeld(answer(["1", "2", "3"], { "content-length": "3" }), "12")
  )

  it.effect("the end of one whose length is not, and nothing before it (P65)", () =>
    assertHeld(answer(["1", "2", "3"]), "123")
  )

  it.effect("the piece of a stream that says it is done, and nothing before it (P65)", () =>
    assertHeld(answer(["data: 1\n\n", "data: [DONE]\n\n"], streamed), "data: 1\n\n")
  )

  it("the last line of a stream is found wherever the pieces end, and in no other place", () => {
    const split = (text: string) =>
      range(0, text.length + 1).map((at) => [text.slice(0, at), text.slice(at)].map(bytes))
    for (const text of [
      "data: [DONE]\n\n",
      'data: {"a":1}\n\ndata: [DONE]\r\n\r\n',
      ": hi\ndata:[DONE]",
      "data: [DONE]"
    ]) {
      for (const pieces of split(text)) assert.isTrue(endsWithDone(pieces), text)
    }
    for (const text of [
      'data: "data: [DONE]',
      "data: [DONE]\n\ndata: 1\n\n",
      "",
      "\n\n",
      "[DONE]\n\n",
      "xdata: [DONE]"
    ]) {
      for (const pieces of split(text)) assert.isFalse(endsWithDone(pieces), text)
    }
  })

  it("the last line of a stream is looked for in its last bytes, however many empty lines there are (P800)", () => {
    let looks = 0
    const chunks = new Proxy(
      Array.from({ length: 100_000 }, () => bytes("\n")),
      {
        get: (target, name) => {
          looks++
          return Reflect.get(target, name)
        }
      }
    )
    assert.isFalse(endsWithDone(chunks))
    assert.isAtMost(looks, 500)
  })
})
