/**
 * Names of journal files: a number for their order, and the marker of their frames. Files of the earlier format have a
 * number and another extension; processes of the earlier version ignore files with a marker.
 */
import { randomBytes } from "node:crypto"
import { markerBytes } from "./Frames.ts"

const extension = ".calls"
const extensionBefore = ".log"

export const isBefore = (name: string): boolean => name.endsWith(extensionBefore)

export const isOne = (name: string): boolean => name.endsWith(extension) || isBefore(name)

/** Of a file with a marker that no other has. */
export const newSuffix = (): string => `-${randomBytes(markerBytes).toString("hex")}${extension}`

/** What a name keeps when its number changes. */
export const suffixOf = (name: string): string => name.replace(/^[^-.]*/, "")

export const make = (number: number, suffix: string): string => `${String(number).padStart(10, "0")}${suffix}`

/** Null where the name has none. */
export const markerOf = (path: string): Buffer | null => {
  const hex = /-([0-9a-f]{16})\.calls$/.exec(path)?.[1]
  return hex === undefined ? null : Buffer.from(hex, "hex")
}
