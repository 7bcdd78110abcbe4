/**
 * An ordered set that stays fast when large: a list of short sorted arrays. Adding, deleting and searching take logarithmic
 * steps and move at most one short array.
 */

/** Items per array; an array splits at twice this width. Moving 256 items costs less than finding them. */
const width = 256

export type Compare<A> = (a: A, b: A) => number

export const byString: Compare<string> = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

/** The first index whose item does not sort before `item`. */
const lowerBound = <A>(items: ReadonlyArray<A>, item: A, compare: Compare<A>): number => {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(items[middle]!, item) < 0) low = middle + 1
    else high = middle
  }
  return low
}

export class SortedSet<A> {
  /** None is empty. */
  private readonly parts: Array<Array<A>> = []
  private readonly compare: Compare<A>

  constructor(compare: Compare<A>) {
    this.compare = compare
  }

  get first(): A | undefined {
    return this.parts[0]?.[0]
  }

  /** Does nothing if an equal item exists. */
  add(item: A): void {
    if (this.parts.length === 0) {
      this.parts.push([item])
      return
    }
    const at = Math.min(this.partOf(item), this.parts.length - 1)
    const part = this.parts[at]!
    const index = lowerBound(part, item, this.compare)
    if (index < part.length && this.compare(part[index]!, item) === 0) return
    part.splice(index, 0, item)
    if (part.length > 2 * width) this.parts.splice(at + 1, 0, part.splice(width))
  }

  delete(item: A): void {
    const at = this.partOf(item)
    const part = this.parts[at]
    if (part === undefined) return
    const index = lowerBound(part, item, this.compare)
    if (this.compare(part[index]!, item) !== 0) return
    part.splice(index, 1)
    if (part.length === 0) this.parts.splice(at, 1)
  }

  /** Ascending, from the first item that is not before `start`; all when it is undefined. Not to be changed meanwhile. */
  *ascending(start?: A): Generator<A> {
    let at = start === undefined ? 0 : this.partOf(start)
    let index = start === undefined ? 0 : lowerBound(this.parts[at] ?? [], start, this.compare)
    for (; at < this.parts.length; at++, index = 0) {
      const part = this.parts[at]!
      for (; index < part.length; index++) yield part[index]!
    }
  }

  /** Descending, from the last item before `end`; all when it is undefined. Not to be changed meanwhile. */
  *descending(end?: A): Generator<A> {
    let at = end === undefined ? this.parts.length : this.partOf(end)
    let index = end === undefined ? 0 : lowerBound(this.parts[at] ?? [], end, this.compare)
    for (;;) {
      const part = this.parts[at] ?? []
      while (index > 0) yield part[--index]!
      if (at === 0) return
      index = this.parts[--at]!.length
    }
  }

  /** How many are not before `start`: a step for each part that is. */
  sizeFrom(start: A): number {
    const at = this.partOf(start)
    let size = 0
    for (let index = at; index < this.parts.length; index++) size += this.parts[index]!.length
    return size - lowerBound(this.parts[at] ?? [], start, this.compare)
  }

  /** The index of the first part whose last item does not sort before `item`; else the number of parts. */
  private partOf(item: A): number {
    let low = 0
    let high = this.parts.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.compare(this.parts[middle]!.at(-1)!, item) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
