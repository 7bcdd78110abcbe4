/** Writers that meet at one resource: the second makes its change again, on what the first one left. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ChangedMeanwhile, type StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Kind, Resource } from "./Kind.ts"
import { type ResourceStore, RevisionConflict } from "./ResourceStore.ts"

/** More writers of one resource than ever meet; each round one of them gets through. */
const writersMax = 50

const isMet = (error: unknown): error is RevisionConflict => error instanceof RevisionConflict

export const changedMeanwhile = ({ noun }: { readonly noun: string }, id: string): ChangedMeanwhile =>
  new ChangedMeanwhile({ resource: noun, id })

/**
 * For a transaction that names a resource, before it writes the name, and for one that removes it, before it looks who names
 * it: of two that meet the second waits, is a RevisionConflict, and sees what the first has done when it is made again.
 * Returns whether there is one.
 */
export const hold = Effect.fnUntraced(function* <A extends Resource>(
  resources: ResourceStore["Service"],
  partition: Partition,
  kind: Kind<A>,
  id: string
): Effect.fn.Return<boolean, RevisionConflict | StorageError> {
  const found = yield* resources.find(partition, kind, id)
  if (Option.isNone(found)) return false
  yield* resources.compareAndSet(partition, kind, found.value)
  return true
})

/** `change` reads the resource and writes it; it says what it changes, so that it can be made again. */
export const inTurn =
  (kind: { readonly noun: string }, id: string) =>
  <A, E, R>(change: Effect.Effect<A, E | RevisionConflict, R>) => {
    const made = (rounds: number): Effect.Effect<A, Exclude<E, RevisionConflict> | ChangedMeanwhile, R> =>
      Effect.catchIf(
        change,
        isMet,
        () => (rounds < writersMax ? made(rounds + 1) : Effect.fail(changedMeanwhile(kind, id))),
        Effect.fail
      )
    return made(0)
  }
