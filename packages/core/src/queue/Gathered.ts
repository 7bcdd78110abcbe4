/**
 * Calls that come while one is under way are made together, as the next: under load many cost little more than one, and a
 * call that is alone waits for no other.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface GatheredOptions<I, A, E> {
  /** The exit of each item, in their order. A failure of the whole is that of every item. */
  readonly perform: (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, E>
  /** Items that are performed together at most. */
  readonly togetherMax: number
  /**
   * So many are waited for while they keep coming: until there were some turns of the event loop in which nobody came. By default what
   * is ready goes at once.
   */
  readonly lingerMax?: number
}

/** Is told what became of an item. It must not throw: others wait behind it. */
type Ended<A, E> = (exit: Exit.Exit<A, E>) => void

interface Waiting<I, A, E> {
  readonly item: I
  readonly ended: Ended<A, E>
}

/** Turns in which nobody comes, after which nobody is waited for: without load they take some microseconds. */
const quietTurns = 4

/** Returns what takes an item in. */
export const intake = Effect.fnUntraced(function* <I, A, E>({
  lingerMax = 0,
  perform,
  togetherMax
}: GatheredOptions<I, A, E>) {
  // What is performed for many belongs to none of those that ask for it.
  const context = yield* Effect.context<never>()
  const waiting: Array<Waiting<I, A, E>> = []
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
      // An exit for each item is what was asked for.
      ended(Exit.isSuccess(performed) ? performed.value[index]! : Exit.failCause(performed.cause))
    }
  })

  // All that is ready to ask at this moment does so first.
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

  return (item: I, ended: Ended<A, E>): void => {
    waiting.push({ item, ended })
    if (isUnderWay) return
    isUnderWay = true
    Effect.runForkWith(context)(turns)
  }
})

/** Returns the call of one item. It ends as its item does; who is interrupted leaves the item to be performed all the same. */
export const make = <I, A, E>(options: GatheredOptions<I, A, E>) =>
  Effect.map(
    intake(options),
    (take) =>
      (item: I): Effect.Effect<A, E> =>
        Effect.callback<A, E>((resume) => take(item, resume))
  )
