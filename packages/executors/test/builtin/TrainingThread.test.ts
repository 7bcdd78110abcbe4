import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { assert, describe, it } from "@effect/vitest"
import * as TrainingThread from "@limbeck/executors/builtin/TrainingThread"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { sha256 } from "../../src/builtin/internal/Container.ts"
import type { Plan } from "../../src/builtin/internal/Session.ts"
import * as WeightTrainer from "../../src/builtin/internal/WeightTrainer.ts"
import { digestOf, examples, finish, setOf, settings } from "./Sets.ts"

const given = settings({ epochs: 5 })
const rows = examples(300)

const plan = (over: Partial<Plan> = {}): Plan => ({
  settings: given,
  checkpoint: null,
  spentSeconds: 0,
  quantumSeconds: 0.005,
  checkpointSeconds: 0,
  ...over
})

const train = (over: Partial<Parameters<typeof TrainingThread.train<never, never>>[0]> = {}) =>
  TrainingThread.train<never, never>({
    plan: plan(),
    examples: Stream.fromIterable(rows),
    grant: () => Effect.succeed(true),
    ...over
  })

const endingOf = (said: ReadonlyArray<TrainingThread.TrainingMessage>) => {
  const last = said.at(-1)
  assert.strictEqual(last?.type, "ended")
  return last?.type === "ended" ? last.ending : undefined
}

const modelDigest = (said: ReadonlyArray<TrainingThread.TrainingMessage>) => {
  const ending = endingOf(said)
  return ending?.type === "finished" ? sha256(ending.model) : ending?.type
}

const hasEpoch = (epoch: number) => (said: TrainingThread.TrainingMessage) =>
  said.type === "metric" && said.step >= epoch

/** Prints all modules that the named file loads. Without a plan, the thread fails after loading them. */
const loading = `
  import { registerHooks } from "node:module"
  import { parentPort, workerData } from "node:worker_threads"
  const loaded = []
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
  await import(workerData.file).catch(() => {})
  parentPort.postMessage(loaded)`

const loadedBy = async (file: URL): Promise<ReadonlyArray<string>> => {
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(loading)}`), {
    execArgv: ["--conditions=@limbeck/source"],
    workerData: { file: file.href }
  })
  const [loaded] = await once(worker, "message")
  await worker.terminate()
  return loaded
}

describe("TrainingThread", () => {
  it.effect("gives the weights of its rows to the training (P1161)", () =>
    Effect.gen(function* () {
      const heavy = rows.map((row, nth) => ({ ...row, weight: nth % 3 === 0 ? 9 : 1 }))
      const weighed = modelDigest(yield* Stream.runCollect(train({ examples: Stream.fromIterable(heavy) })))
      assert.isString(weighed)
      assert.notStrictEqual(weighed, modelDigest(yield* Stream.runCollect(train())))
    })
  )

  it("loads nothing of Effect's runtime (P471)", async () => {
    const loaded = await loadedBy(new URL("../../src/builtin/TrainingWorker.ts", import.meta.url))
    const named = (end: string) => loaded.filter((url) => url.endsWith(end)).length
    assert.deepStrictEqual(
      [
        "/internal/Session.ts",
        "/effect/dist/Result.js",
        "/effect/dist/Effect.js",
        "/effect/dist/internal/effect.js"
      ].map(named),
      [1, 1, 0, 0]
    )
  })

  it.effect("makes in a thread the very model that is made without one", () =>
    Effect.gen(function* () {
      const set = setOf(rows, given)
      const said = yield* Stream.runCollect(train())
      assert.strictEqual(modelDigest(said), digestOf(set, given, finish(WeightTrainer.make(set, given))))
    })
  )

  it.effect("killed in the middle and begun again from its last checkpoint, it ends with the same model", () =>
    Effect.gen(function* () {
      const before = yield* Stream.runCollect(Stream.takeUntil(train(), hasEpoch(3)))
      const checkpoint = before.findLast((said) => said.type === "checkpoint")
      assert.isDefined(checkpoint)
      const after = yield* Stream.runCollect(train({ plan: plan({ checkpoint: checkpoint?.bytes ?? null }) }))
      assert.isFalse(after.some((said) => said.type === "metric" && said.step === 1))
      assert.strictEqual(modelDigest(after), modelDigest(yield* Stream.runCollect(train())))
    })
  )

  it.effect("leaves the event loop free while it trains", () =>
    Effect.gen(function* () {
      let turns = 0
      const loop = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.sync(() => turns++),
            Effect.yieldNow
          )
        )
      )
      yield* Stream.runDrain(train({ plan: plan({ settings: settings({ epochs: 30 }) }) }))
      yield* Fiber.interrupt(loop)
      assert.isAbove(turns, 1_000)
    })
  )

  it.effect("asked to stop, it keeps a checkpoint and ends as canceled", () =>
    Effect.gen(function* () {
      const cancel = yield* Deferred.make<void>()
      const said = yield* train({
        plan: plan({ settings: settings({ epochs: 100 }) }),
        cancel: Deferred.await(cancel)
      }).pipe(
        Stream.tap((said) => (hasEpoch(1)(said) ? Deferred.succeed(cancel, undefined) : Effect.void)),
        Stream.runCollect
      )
      assert.strictEqual(endingOf(said)?.type, "canceled")
      assert.strictEqual(said.at(-2)?.type, "checkpoint")
      assert.isFalse(said.some(hasEpoch(50)))
    })
  )

  it.effect("interrupted, it is gone: no thread is left behind, whatever it was doing", () =>
    Effect.gen(function* () {
      // Those of this test: threads that tests before have left may end meanwhile.
      const threads: Array<Worker> = []
      const note = (thread: Worker) => void threads.push(thread)
      process.on("worker", note)
      yield* Effect.addFinalizer(() => Effect.sync(() => process.off("worker", note)))
      const isAlive = ({ threadId }: Worker) => threadId >= 0
      for (const epoch of [0, 1, 20]) {
        const far = yield* Deferred.make<void>()
        const fiber = yield* train({ plan: plan({ settings: settings({ epochs: 100 }) }) }).pipe(
          Stream.runForEach((said) =>
            epoch === 0 || hasEpoch(epoch)(said) ? Deferred.succeed(far, undefined) : Effect.void
          ),
          Effect.forkChild
        )
        yield* Deferred.await(far)
        assert.isTrue(threads.some(isAlive))
        yield* Fiber.interrupt(fiber)
        assert.isFalse(threads.some(isAlive))
      }
    })
  )

  it.effect("what it has come to is steps that it worked, and no more than was granted", () =>
    Effect.gen(function* () {
      let granted = 0
      const secondsPerReading = 0.001
      const said = yield* train({
        stopwatch: { type: "counting", secondsPerReading },
        grant: (upTo) =>
          Effect.sync(() => {
            granted = upTo
            return true
          })
      }).pipe(
        Stream.tap((said) =>
          Effect.sync(() => {
            if (said.type === "checkpoint" || said.type === "ended") assert.isAtMost(said.seconds, granted)
          })
        ),
        Stream.runCollect
      )
      const last = said.at(-1)
      const checkpoints = said.filter(({ type }) => type === "checkpoint")
      const ending = endingOf(said)
      const trained = ending?.type === "finished" ? Math.ceil(ending.examples / 16) : 0
      // Beside the training: two to take the rows, one to make the set, one per checkpoint, and one for the model.
      const steps = 2 + 1 + checkpoints.length + 1 + trained
      assert.isTrue(last?.type === "ended")
      if (last?.type === "ended")
        assert.closeTo(last.seconds, steps * secondsPerReading, given.epochs * secondsPerReading)
    })
  )

  it.effect("a failure of the rows, or of the grant, is the stream's, and ends the thread", () =>
    Effect.gen(function* () {
      const broken = TrainingThread.train<string, never>({
        plan: plan(),
        examples: Stream.concat(Stream.fromIterable(rows), Stream.fail("no rows")),
        grant: () => Effect.succeed(true)
      })
      assert.strictEqual(yield* Effect.flip(Stream.runDrain(broken)), "no rows")
      const unpaid = TrainingThread.train<string, never>({
        plan: plan(),
        examples: Stream.fromIterable(rows),
        grant: () => Effect.fail("no purse")
      })
      assert.strictEqual(yield* Effect.flip(Stream.runDrain(unpaid)), "no purse")
    })
  )

  it.effect("a thread that breaks down is told as lost", () =>
    Effect.gen(function* () {
      const broken = train({ plan: plan({ settings: { ...given, bits: 99 } }) })
      const failure = yield* Effect.flip(Stream.runDrain(broken))
      assert.instanceOf(failure, TrainingThread.ThreadLost)
    })
  )
})
