/** Writers that meet at one resource: who comes second makes its change again, on what the first one left. */
import * as Effect from "effect/Effect"
import { type Conflict, conflict } from "../errors/Errors.ts"
import { RevisionConflict } from "./ResourceStore.ts"

/** More writers of one resource than ever meet; each round one of them gets through. */
const writersMax = 50

const isMet = (error: unknown): error is RevisionConflict => error instanceof RevisionConflict

/** `thing`: what to call the resource. */
export const metAnother = (thing: string, id: string): Conflict =>
  conflict(`${thing} ${id} was changed by somebody else at the same time; read it again`)

/** `change` reads the resource and writes it; it says what it changes, so that it can be made again. */
export const inTurn =
  (thing: string, id: string) =>
  <A, E, R>(change: Effect.Effect<A, E | RevisionConflict, R>) => {
    const made = (rounds: number): Effect.Effect<A, Exclude<E, RevisionConflict> | Conflict, R> =>
      Effect.catchIf(
        change,
        isMet,
        () => (rounds < writersMax ? made(rounds + 1) : Effect.fail(metAnother(thing, id))),
        Effect.fail
      )
    return made(0)
  }
