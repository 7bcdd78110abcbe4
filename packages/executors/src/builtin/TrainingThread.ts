/** Trains in a worker thread, so that the event loop stays free. Interrupting the stream ends the thread. */
import { Worker } from "node:worker_threads"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as ThreadOptions from "../internal/ThreadOptions.ts"
import type { Example } from "./internal/Examples.ts"
import * as Reading from "./internal/Reading.ts"
import type { FromSession, Plan, ToSession } from "./internal/Session.ts"
import * as Templates from "./internal/Templates.ts"
import { partsOf, type Turn } from "./internal/Text.ts"
import * as Stopwatch from "./Stopwatch.ts"

/** The thread died without a result: out of memory, or a defect. */
export class ThreadLost extends Data.TaggedError("ThreadLost")<{ readonly message: string }> {}

/** The messages of a training; `ended` is the last one. */
export type TrainingMessage = Exclude<FromSession, { readonly type: "taken" | "ask" }>

export interface Training<E, R> {
  readonly plan: Plan
  /** The stopwatch of the training; by default the processor time of its thread. */
  readonly stopwatch?: Stopwatch.Stopwatch
  readonly examples: Stream.Stream<Example, E, R>
  /** Conversations without an answer, for word vectors; read only if the settings allow word vectors. */
  readonly unlabelled?: Stream.Stream<ReadonlyArray<Turn>, E, R>
  /**
   * Whether the training may spend this many seconds, counted over all attempts. The thread asks in order with its
   * other messages, so it never runs ahead of its consumer by more than a quantum.
   */
  readonly grant: (upTo: number) => Effect.Effect<boolean, E, R>
  /** When this ends, the training stops at its next step, keeps a checkpoint and ends as canceled. */
  readonly cancel?: Effect.Effect<void, E, R>
}

/** The `workerData` of the thread. */
export interface WorkerData {
  readonly plan: Plan
  readonly stopwatch: Stopwatch.Stopwatch
}

/** Rows in one message to the thread. */
const batchRows = 256

const file = new URL(ThreadOptions.isSource ? "./TrainingWorker.ts" : "./TrainingWorker.js", import.meta.url)

const open = (workerData: WorkerData) =>
  Effect.acquireRelease(
    Effect.sync(() => new Worker(file, { ...ThreadOptions.make(), workerData })),
    (worker) => Effect.promise(() => worker.terminate())
  )

/** Cuts each text to the part that the student reads, under its prompt. */
const cutting = ({ settings }: Plan) => {
  const addressed = Templates.reader(settings)
  return ({ turns, ...example }: Example): Example => {
    const { template, turns: own } = addressed(turns)
    const { isCut, turns: read } = Reading.read(own, settings.template, settings.charactersMax)
    return { ...example, ...(template === undefined ? {} : { template }), turns: read, isCut }
  }
}

const isSaid = (message: FromSession): message is TrainingMessage => message.type !== "taken" && message.type !== "ask"

export const train = <E, R>(training: Training<E, R>): Stream.Stream<TrainingMessage, E | ThreadLost, R> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const worker = yield* open({ plan: training.plan, stopwatch: training.stopwatch ?? Stopwatch.processor })
      const heard = yield* Queue.unbounded<FromSession, E | ThreadLost>()
      const taken = yield* Queue.unbounded<void>()
      const tell = (message: ToSession) => Effect.sync(() => worker.postMessage(message))
      const lost = (message: string) => Queue.failCauseUnsafe(heard, Cause.fail(new ThreadLost({ message })))

      worker.on("message", (message: FromSession) => {
        if (message.type === "taken") Queue.offerUnsafe(taken, undefined)
        else Queue.offerUnsafe(heard, message)
      })
      worker.on("error", (error: unknown) => lost(`The training thread broke down: ${error}`))
      worker.on("exit", () => lost("The training thread ended without a result"))

      const cut = cutting(training.plan)
      /** Only one message is in flight, so that rows wait in storage and not in memory. */
      const feed = Stream.runForEach(Stream.grouped(training.examples, batchRows), (examples) =>
        Effect.andThen(tell({ type: "examples", examples: examples.map(cut) }), Queue.take(taken))
      )
      const feedTexts = Stream.runForEach(Stream.grouped(training.unlabelled ?? Stream.empty, batchRows), (texts) => {
        const requests = texts.map((turns) => partsOf(cut({ turns, label: null }).turns).request)
        return Effect.andThen(tell({ type: "texts", texts: requests }), Queue.take(taken))
      })
      const orFail = <A>(effect: Effect.Effect<A, E, R>) =>
        Effect.catchCause(effect, (cause) => Queue.failCause(heard, cause))
      yield* Effect.forkScoped(orFail(Effect.andThen(Effect.andThen(feed, feedTexts), tell({ type: "train" }))))
      if (training.cancel !== undefined) {
        yield* Effect.forkScoped(orFail(Effect.andThen(training.cancel, tell({ type: "cancel" }))))
      }

      return Stream.fromQueue(heard).pipe(
        Stream.tap((message) =>
          message.type === "ask"
            ? Effect.flatMap(training.grant(message.upTo), (isGranted) => tell({ type: "answer", isGranted }))
            : Effect.void
        ),
        Stream.filter(isSaid),
        Stream.takeUntil(({ type }) => type === "ended")
      )
    })
  )
