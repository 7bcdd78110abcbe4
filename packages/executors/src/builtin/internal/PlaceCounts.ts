/** Signed counts by place, in the order in which places come: an open hash table, so small that it stays in the processor's cache. */
import { finalize } from "./Hashing.ts"

export interface Counts {
  readonly length: number
  readonly places: Uint32Array
  readonly counts: Float32Array
}

/** Hashes of 32 bits; the first `length` of them count. */
export interface Hashes {
  readonly values: Int32Array
  readonly length: number
}

/** Of what the hashes are of; valid until the next are counted. A count that came to zero is left in. */
export type PlaceCounts = (hashes: Hashes) => Counts

const initial = 4096
/** Slots for each place that there is room for: most are free, so that one is soon found. */
const spread = 4

const tableOf = (room: number) => ({
  places: new Uint32Array(room),
  counts: new Float32Array(room),
  /** Of a place its number in `places`, from 1 on; 0 is free. */
  slots: new Uint32Array(spread * room)
})

/** The `bits` high bits of a mixed hash are the place, its lowest bit is the sign. */
export const make = (bits: number): PlaceCounts => {
  const shift = 32 - bits
  let table = tableOf(initial)
  return (hashes) => {
    // Of a table that a long text made large, a short one uses the beginning.
    const room = Math.max(initial, 2 ** Math.ceil(Math.log2(hashes.length)))
    if (room > table.places.length) table = tableOf(room)
    const { counts, places, slots } = table
    slots.fill(0, 0, spread * room)
    const mask = spread * room - 1
    let length = 0
    for (let k = 0; k < hashes.length; k++) {
      const mixed = finalize(hashes.values[k]!)
      const place = mixed >>> shift
      const by = (mixed & 1) * 2 - 1
      let slot = place & mask
      let as = slots[slot]!
      while (as !== 0 && places[as - 1] !== place) {
        slot = (slot + 1) & mask
        as = slots[slot]!
      }
      if (as === 0) {
        places[length] = place
        counts[length] = by
        slots[slot] = ++length
      } else counts[as - 1] = counts[as - 1]! + by
    }
    return { length, places, counts }
  }
}
