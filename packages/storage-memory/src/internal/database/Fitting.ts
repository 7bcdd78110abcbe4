/** Pages that are bounded in bytes as well as in items. */

/** Those that begin before the page has so many bytes: one at least, where there are any. */
export const fitting = <A>(
  items: ReadonlyArray<A>,
  bytesMax: number,
  sizeOf: (item: A) => number
): ReadonlyArray<A> => {
  let bytes = 0
  const end = items.findIndex((item) => {
    const isOver = bytes >= bytesMax
    bytes += sizeOf(item)
    return isOver
  })
  return end < 0 ? items : items.slice(0, end)
}
