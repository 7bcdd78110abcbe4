/** Counts by place, in the order in which places come: an open hash table, so small that it stays in the processor's cache. */

export interface Counts {
  readonly length: number
  readonly places: Uint32Array
  readonly counts: Float32Array
}

export interface PlaceCounts {
  readonly add: (place: number, by: number) => void
  /** The first `length` of both arrays; they are used again after `clear`. */
  readonly read: () => Counts
  readonly clear: () => void
}

const initial = 4096
/** Slots for each place there is room for: most are free, so that one is soon found. */
const spread = 4

export const make = (): PlaceCounts => {
  let length = 0
  let places = new Uint32Array(initial)
  let counts = new Float32Array(initial)
  /** Of a place its number in `places`, from 1 on; 0 is free. */
  let slots = new Uint32Array(spread * initial)

  /** The slot of a place, or the free one that it would take. */
  const slotOf = (place: number): number => {
    const mask = slots.length - 1
    let slot = place & mask
    while (slots[slot] !== 0 && places[slots[slot]! - 1] !== place) slot = (slot + 1) & mask
    return slot
  }

  const grow = () => {
    const before = { places, counts }
    places = new Uint32Array(length * 2)
    counts = new Float32Array(length * 2)
    slots = new Uint32Array(spread * length * 2)
    places.set(before.places)
    counts.set(before.counts)
    for (let as = 0; as < length; as++) slots[slotOf(places[as]!)] = as + 1
  }

  return {
    add: (place, by) => {
      const slot = slotOf(place)
      const as = slots[slot]! - 1
      if (as >= 0) {
        counts[as] = counts[as]! + by
        return
      }
      places[length] = place
      counts[length] = by
      slots[slot] = ++length
      if (length === places.length) grow()
    },
    read: () => ({ length, places, counts }),
    clear: () => {
      slots.fill(0)
      length = 0
    }
  }
}
