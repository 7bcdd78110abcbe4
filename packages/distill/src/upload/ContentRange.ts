/** The bytes of an upload's content brought by a request, and the resulting limits. Pure. */
import { TooLarge } from "@limbeck/core/errors/Errors"
import type * as Stream from "effect/Stream"
import { RangeExceeded } from "../Errors.ts"
import { DistillLimits } from "../Limits.ts"
import { atMost } from "./internal/UploadContent.ts"
import type { Upload } from "./Upload.ts"

/**
 * Bytes `from` to `to` of the content, both included, of `total`; null while the total is unknown. An empty range has
 * `to` before `from`.
 */
export interface ContentRange {
  readonly from: number
  readonly to: number
  readonly total: number | null
}

export interface ContentOptions {
  readonly gzipHint: boolean
  /** The announced number of bytes: an excessive length is rejected before the transfer. */
  readonly length?: number
  /** By default the whole content. */
  readonly range?: ContentRange
}

/** The empty range that ends a content of `total` bytes. */
export const finalRange = (total: number): ContentRange => ({ from: total, to: total - 1, total })

/** Whether it brings no bytes and announces the end. */
export const isFinal = (range: ContentRange | undefined): range is ContentRange =>
  range !== undefined && range.from > 0 && range.from === range.total

/** `field`: of a request that announces its size. */
export const tooLarge = (field?: string) =>
  new TooLarge({
    content: "upload",
    bytesMax: DistillLimits.uploadBytesMax,
    ...(field === undefined ? {} : { field })
  })

/** The size of the whole content, if announced. */
export const announcedBytes = ({ length = 0, range }: ContentOptions): number =>
  Math.max(range?.total ?? 0, (range?.from ?? 0) + length)

/** The stream, which fails at a byte more than an upload may have, or than the range has. */
export const limitContent = <E, R>(content: Stream.Stream<Uint8Array, E, R>, { range }: ContentOptions) => {
  const bounded = atMost(content, DistillLimits.uploadBytesMax - (range?.from ?? 0), tooLarge)
  return range === undefined
    ? bounded
    : atMost(bounded, range.to + 1 - range.from, () => new RangeExceeded({ from: range.from, to: range.to }))
}

/** The length of the whole content, if known before all of it is stored. */
export const totalOf = ({ expectedBytes }: Upload, { length = 0, range }: ContentOptions): number | null => {
  if (range !== undefined) return range.total ?? expectedBytes
  return length > 0 ? length : null
}

/** Whether the content is complete with so many bytes stored. */
export const isWhole = (stored: number, upload: Upload, { range }: ContentOptions): boolean =>
  range === undefined || stored === totalOf(upload, { gzipHint: false, range })
