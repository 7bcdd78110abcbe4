/**
 * The order-independent digest of a version's rows and their split: SHA-256 over, by ascending digest of the row, that
 * digest (32 bytes), the number of copies (4 bytes, big-endian), and 1 for a holdout row, else 0. Computed from stored
 * keys, which begin with the row's digest, in constant memory.
 */
import * as Effect from "effect/Effect"
import type { StoredKey } from "../RowStore.ts"
import { type DigestState, RunningDigest } from "../RunningDigest.ts"

const hexCharacters = 64
const digestBytes = 32
const recordBytes = digestBytes + 5
/** Hexadecimal characters of a word of 4 bytes. */
const wordCharacters = 8

/** The row whose copies are being counted. */
interface RowCopies {
  readonly digest: string
  readonly isHoldout: boolean
  copies: number
}

const write = (bytes: Uint8Array, at: number, { copies, digest, isHoldout }: RowCopies): void => {
  const view = new DataView(bytes.buffer, at, recordBytes)
  for (let word = 0; word * wordCharacters < hexCharacters; word++) {
    view.setUint32(word * 4, Number.parseInt(digest.slice(word * wordCharacters, (word + 1) * wordCharacters), 16))
  }
  view.setUint32(digestBytes, copies)
  view.setUint8(recordBytes - 1, isHoldout ? 1 : 0)
}

/** Adds every row completed by `keys` to `running`; returns the last one. */
const addPage = (running: DigestState, before: RowCopies | null, keys: ReadonlyArray<StoredKey>): RowCopies | null => {
  const bytes = new Uint8Array((keys.length + 1) * recordBytes)
  let written = 0
  let current = before
  for (const { key, split } of keys) {
    const digest = key.slice(0, hexCharacters)
    if (current?.digest === digest) {
      current.copies++
      continue
    }
    if (current !== null) write(bytes, recordBytes * written++, current)
    current = { digest, isHoldout: split === "holdout", copies: 1 }
  }
  running.update(bytes.subarray(0, written * recordBytes))
  return current
}

/** `walk` hands over the keys by pages, ascending. */
export const digestOf = Effect.fnUntraced(function* <E>(
  walk: (onPage: (keys: ReadonlyArray<StoredKey>) => void) => Effect.Effect<void, E>
): Effect.fn.Return<string, E, RunningDigest> {
  const running = yield* yield* RunningDigest
  let current: RowCopies | null = null
  yield* walk((keys) => {
    current = addPage(running, current, keys)
  })
  if (current !== null) {
    const last = new Uint8Array(recordBytes)
    write(last, 0, current)
    running.update(last)
  }
  return yield* running.hex
})
