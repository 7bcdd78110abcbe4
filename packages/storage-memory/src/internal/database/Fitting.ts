/** Pages bounded in bytes and in items. */

/** The items that begin before the page has `bytesMax` bytes; at least one, if any. */
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
