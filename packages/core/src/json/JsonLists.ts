/**
 * A cache of serialized lists. A repeated request mostly finds the same unchanged resources, so the same bytes are the
 * answer. The key is the first resource, and the cached list must have the same resources throughout.
 */
import { BoundedCache } from "../cache/BoundedCache.ts"
import { isObject } from "./Json.ts"
import * as JsonTexts from "./JsonTexts.ts"

type List = Readonly<Record<string, unknown>> & { readonly data: ReadonlyArray<unknown> }

interface ListText {
  readonly list: List
  readonly bytes: Uint8Array
}

/** Bytes of one generation of cached lists. A list above an eighth of it is serialized each time. */
const keptMax = 2 * 1024 * 1024

/** About what a list takes beside its bytes. */
const overhead = 1_024

const shown = new BoundedCache<object, ListText>({ generationMax: keptMax, lengthMax: keptMax / 8 })

const encoder = new TextEncoder()

const isScalar = (value: unknown): boolean => typeof value !== "object" || value === null

/** None of its resources changes any more, and of its other members all is seen at once. */
const isLasting = ({ data, ...rest }: List): boolean =>
  Object.values(rest).every(isScalar) && data.every(JsonTexts.isKept)

const isSame = (one: List, other: List): boolean => {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => name === "data" || one[name] === other[name]) &&
    one.data.length === other.data.length &&
    one.data.every((item, index) => item === other.data[index])
  )
}

const isList = (value: unknown): value is List => isObject(value) && Array.isArray(value["data"])

/** The result of `JsonTexts.of`, in UTF-8 for a list that may be requested again. */
export const of = (value: unknown): string | Uint8Array => {
  const [first] = isList(value) ? value.data : []
  if (!isList(value) || !isObject(first)) return JsonTexts.of(value)
  const known = shown.find(first)
  if (known !== undefined && isSame(known.list, value)) return known.bytes
  const text = JsonTexts.of(value)
  if (!isLasting(value)) return text
  const bytes = encoder.encode(text)
  shown.keep(first, { list: value, bytes }, bytes.length + overhead)
  return bytes
}
