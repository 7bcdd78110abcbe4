/**
 * Calls that come while one is under way are made together, as the next: under load many cost little more than one, and a
 * call that is alone waits for no other.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

export interface GatheredOptions<I, A, E> {
  /** The exit of each item, in their order. A failure of the whole is that of every item. */
  readonly perform: (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<Exit.Exit<A, E>>, E>
  /** Items that are performed together at most. */
  readonly togetherMax: number
}

interface Waiting<I, A, E> {
  readonly item: I
  readonly done: Deferred.Deferred<A, E>
}

/** Returns the call of one item. It ends as its item does; who is interrupted leaves the item to be performed all the same. */
export const make = Effect.fnUntraced(function* <I, A, E>({ perform, togetherMax }: GatheredOptions<I, A, E>) {
  // What is performed for many belongs to none of those that ask for it.
  const context = yield* Effect.context<never>()
  const waiting: Array<Waiting<I, A, E>> = []
  let isUnderWay = false

  const turn = Effect.gen(function* () {
    const batch = waiting.splice(0, togetherMax)
    const performed = yield* Effect.exit(perform(batch.map(({ item }) => item)))
    for (const [index, { done }] of batch.entries()) {
      // An exit for each item is what was asked for.
      Deferred.doneUnsafe(done, Exit.isSuccess(performed) ? performed.value[index]! : Exit.failCause(performed.cause))
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

  return (item: I): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const done = Deferred.makeUnsafe<A, E>()
      waiting.push({ item, done })
      if (!isUnderWay) {
        isUnderWay = true
        Effect.runForkWith(context)(turns)
      }
      return Deferred.await(done)
    })
})
