/** The distance between a mistyped name and the intended one. */

/** Letters added, left out, replaced, or swapped with their neighbour, to make one of the other (optimal string alignment). */
export const mistakesBetween = (a: string, b: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const differs = a[row - 1] === b[column - 1] ? 0 : 1
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + differs,
        isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      )
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}
