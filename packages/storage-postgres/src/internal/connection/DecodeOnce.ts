/** Rows that several fibers get, because they asked for the same together, are decoded once. */
import * as Effect from "effect/Effect"

export const decodeOnce = <A extends object, E>(
  decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<A, E>
): ((rows: ReadonlyArray<unknown>) => Effect.Effect<A, E>) => {
  const decoded = new WeakMap<ReadonlyArray<unknown>, A>()
  return (rows) => {
    const known = decoded.get(rows)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.mapEager(decode(rows), (value) => {
      decoded.set(rows, value)
      return value
    })
  }
}
