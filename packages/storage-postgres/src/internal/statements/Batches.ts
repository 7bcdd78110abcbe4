/** Statements that are bounded in bytes. */

/** What one statement carries at least before it is cut: large enough to amortise a round trip. */
export const bytesPerStatement = 8 * 1024 ** 2

/** Cuts items into batches that end with the item that fills them. */
export const batchesOf = <A>(
  items: ReadonlyArray<A>,
  sizeOf: (item: A) => number,
  countMax = Number.POSITIVE_INFINITY
): ReadonlyArray<ReadonlyArray<A>> => {
  const made: Array<Array<A>> = []
  let room = 0
  for (const item of items) {
    if (room <= 0 || made.at(-1)?.length === countMax) {
      made.push([])
      room = bytesPerStatement
    }
    made.at(-1)?.push(item)
    room -= sizeOf(item)
  }
  return made
}
