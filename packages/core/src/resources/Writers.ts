/** Concurrent writers of one resource: the second writer repeats its change on the first one's result. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ChangedMeanwhile, type StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Kind, Resource } from "./Kind.ts"
import { type ResourceStore, RevisionConflict } from "./ResourceStore.ts"

/** More than any real number of concurrent writers; in each round one of them succeeds. */
const writersMax = 50

const isMet = (error: unknown): error is RevisionConflict => error instanceof RevisionConflict

export const concurrentChange = ({ noun }: { readonly noun: string }, id: string): ChangedMeanwhile =>
  new ChangedMeanwhile({ resource: noun, id })

/**
 * Locks a resource for a transaction that writes a reference to it, or that removes it and checks for references. The
 * second of two such transactions waits, fails with a RevisionConflict, and sees the first one's result when repeated.
 * Returns whether the resource exists.
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

/** `change` reads and writes the resource; conflicts repeat it, so it must have no other effects. */
export const inTurn =
  (kind: { readonly noun: string }, id: string) =>
  <A, E, R>(change: Effect.Effect<A, E | RevisionConflict, R>) => {
    const made = (rounds: number): Effect.Effect<A, Exclude<E, RevisionConflict> | ChangedMeanwhile, R> =>
      Effect.catchIf(
        change,
        isMet,
        () => (rounds < writersMax ? made(rounds + 1) : Effect.fail(concurrentChange(kind, id))),
        Effect.fail
      )
    return made(0)
  }
