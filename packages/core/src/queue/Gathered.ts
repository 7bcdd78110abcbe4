/**
 * Batches calls: calls that arrive while a batch is under way form the next batch. Under load a batch costs little more
 * than one call, and a single call waits for no other.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface GatheredOptions<I, A, E> {
  /** Performs a batch and returns the exit of each item, in order. A failure of the batch fails every item. */
  readonly perform: (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, E>
  /** The maximum of items in a batch. */
  readonly togetherMax: number
  /**
   * With this bound a batch waits for more items while they keep arriving, until some turns of the event loop bring
   * none. By default a batch starts at once.
   */
  readonly lingerMax?: number
}

/** Receives the exit of an item. It must not throw, because other items wait behind it. */
type ExitHandler<A, E> = (exit: Exit.Exit<A, E>) => void

interface PendingItem<I, A, E> {
  readonly item: I
  readonly ended: ExitHandler<A, E>
}

/** Turns of the event loop without a new item that end the wait: some microseconds without load. */
const quietTurns = 4

/** Returns what takes an item in. */
export const intake = Effect.fnUntraced(function* <I, A, E>({
  lingerMax = 0,
  perform,
  togetherMax
}: GatheredOptions<I, A, E>) {
  // A batch belongs to no single caller, so it runs in this context.
  const context = yield* Effect.context<never>()
  const waiting: Array<PendingItem<I, A, E>> = []
  let isUnderWay = false

  const linger = Effect.gen(function* () {
    let [quiet, seen] = [0, waiting.length]
    while (quiet < quietTurns && waiting.length < lingerMax) {
      yield* Effect.yieldNow
      quiet = waiting.length === seen ? quiet + 1 : 0
      seen = waiting.length
    }
  })

  const turn = Effect.gen(function* () {
    yield* linger
    const batch = waiting.splice(0, togetherMax)
    const performed = yield* Effect.exit(perform(batch.map(({ item }) => item)))
    for (const [index, { ended }] of batch.entries()) {
      // `perform` returns an exit for each item.
      ended(Exit.isSuccess(performed) ? performed.value[index]! : Exit.failCause(performed.cause))
    }
  })

  // Lets all ready fibers submit first.
  const turns = Effect.andThen(
    Effect.yieldNow,
    Effect.whileLoop({ while: () => waiting.length > 0, body: () => turn, step: () => {} })
  ).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isUnderWay = false
      })
    )
  )

  return (item: I, ended: ExitHandler<A, E>): void => {
    waiting.push({ item, ended })
    if (isUnderWay) return
    isUnderWay = true
    Effect.runForkWith(context)(turns)
  }
})

/** Returns a function that adds one item and ends with its exit. Interrupting the caller does not cancel the item. */
export const make = <I, A, E>(options: GatheredOptions<I, A, E>) =>
  Effect.map(
    intake(options),
    (take) =>
      (item: I): Effect.Effect<A, E> =>
        Effect.callback<A, E>((resume) => take(item, resume))
  )
