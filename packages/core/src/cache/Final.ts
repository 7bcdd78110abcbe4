/** Documents that never change again, kept by key: the last ones that were asked for. */
import * as Effect from "effect/Effect"

export interface Final<A> {
  /** What is kept, or else what `lookup` finds; that is kept where it is final. */
  readonly get: <E, R>(key: string, lookup: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** `isFinal`: whether nobody changes or removes it any more. Keeps `keptMax` at most. */
export const make = <A>(isFinal: (value: A) => boolean, keptMax: number): Final<A> => {
  /** The one that was asked for longest ago comes first. */
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
