/** Statements that are bounded in bytes. */

/** Minimum size of a split statement: large enough to amortise a round trip. */
export const bytesPerStatement = 8 * 1024 ** 2

/** Splits items into batches; the item that fills a batch ends it. */
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
