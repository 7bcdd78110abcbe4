/**
 * How much of a body is stored. A storage may write a text with a NUL as JSON, which takes six bytes for each of them, so
 * that bytes are counted as the longest form has them: whatever is stored can be read back.
 */
import { CaptureLimits } from "../Limits.ts"

export interface StoredText {
  readonly text: string
  /** Whether more of it came than is stored. */
  readonly isCut: boolean
}

/** The most bytes that one UTF-16 unit takes, in UTF-8 or as JSON writes it. */
const bytesPerUnitMax = 6

/** Half a surrogate pair takes three bytes here, which is more than its half of the four; alone, JSON writes six. */
const bytesOf = (unit: number, escapes: boolean): number => {
  if (unit < 0x20) return escapes ? bytesPerUnitMax : 1
  if (unit < 0x80) return escapes && (unit === 0x22 || unit === 0x5c) ? 2 : 1
  return unit < 0x800 ? 2 : 3
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** How many units of the text fit. */
const fitting = (text: string, bytesMax: number): number => {
  const escapes = text.includes("\0")
  let bytes = 0
  for (let at = 0; at < text.length; at++) {
    bytes += bytesOf(text.charCodeAt(at), escapes)
    if (bytes > bytesMax) return at > 0 && isHighSurrogate(text.charCodeAt(at - 1)) ? at - 1 : at
  }
  return text.length
}

/** The text, or as much of its beginning as may be stored. */
export const of = (text: string, bytesMax: number = CaptureLimits.storedBodyBytesMax): StoredText => {
  if (text.length * bytesPerUnitMax <= bytesMax) return { text, isCut: false }
  const end = fitting(text, bytesMax)
  return end === text.length ? { text, isCut: false } : { text: text.slice(0, end), isCut: true }
}
