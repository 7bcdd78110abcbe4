/** A cache of immutable documents by key (least recently used entries leave first). */
import * as Effect from "effect/Effect"

export interface Final<A> {
  /** Returns the cached document, or the result of `lookup`, which is cached if it is final. */
  readonly get: <E, R>(key: string, lookup: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** `isFinal`: whether nobody changes or removes it any more. Keeps `keptMax` at most. */
export const make = <A>(isFinal: (value: A) => boolean, keptMax: number): Final<A> => {
  /** Entries in the order of their last use, oldest first. */
  const kept = new Map<string, A>()

  const keep = (key: string, value: A) => {
    kept.delete(key)
    const [oldest] = kept.size >= keptMax ? kept.keys() : []
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(key, value)
  }

  return {
    get: (key, lookup) =>
      Effect.suspend(() => {
        const known = kept.get(key)
        if (known === undefined) {
          return Effect.tap(lookup, (value) => Effect.sync(() => isFinal(value) && keep(key, value)))
        }
        keep(key, known)
        return Effect.succeed(known)
      })
  }
}
