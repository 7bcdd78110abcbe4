/** Signed counts by place, in order of first appearance: an open hash table, small enough for the processor's cache. */
import { finalize } from "./Hashing.ts"

export interface Counts {
  readonly length: number
  readonly places: Uint32Array
  readonly counts: Float32Array
}

/** 32-bit hashes; only the first `length` of them are valid. */
export interface Hashes {
  readonly values: Int32Array
  readonly length: number
}

/** Counts hashes by place. The result is valid until the next call; a count of zero stays in the result. */
export type PlaceCounts = (hashes: Hashes) => Counts

const initial = 4096
/** Slots per possible place: most slots stay free, so that a search is short. */
const spread = 4

const tableOf = (room: number) => ({
  places: new Uint32Array(room),
  counts: new Float32Array(room),
  /** Of a place its number in `places`, from 1 on; 0 is free. */
  slots: new Uint32Array(spread * room)
})

/** The high `bits` bits of a mixed hash are the place; its lowest bit is the sign. */
export const make = (bits: number): PlaceCounts => {
  const shift = 32 - bits
  let table = tableOf(initial)
  return (hashes) => {
    // A short text uses only the beginning of a table that a long text enlarged.
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
