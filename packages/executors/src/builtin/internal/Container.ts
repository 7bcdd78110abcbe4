/**
 * The file form of models and checkpoints: "LMBK", the form's version and the header's length (32 bits each, little-endian as
 * all numbers here), a JSON header, the arrays that it lists, and a SHA-256 over all before it. The same content has the same
 * bytes.
 */
import { createHash } from "node:crypto"

/** The content of a file: a kind, a JSON header, and named arrays. */
export interface Content {
  readonly kind: string
  /** JSON. */
  readonly about: unknown
  readonly arrays: Readonly<Record<string, Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>>
}

/** Why bytes cannot be read as a file of the kind, for a person. */
export class Unreadable {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

interface Header {
  readonly kind: string
  readonly about: unknown
  readonly arrays: ReadonlyArray<{ readonly name: string; readonly type: "f32" | "u32"; readonly length: number }>
}

const magic = 0x4b424d4c
const version = 1
const prefixBytes = 12
const digestBytes = 32
const digestOf = (bytes: Uint8Array): Uint8Array => createHash("sha256").update(bytes).digest()

/** Lowercase hex. */
export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

export const encode = ({ about, arrays, kind }: Content): Uint8Array<ArrayBuffer> => {
  const entries = Object.entries(arrays)
  const header: Header = {
    kind,
    about,
    arrays: entries.map(([name, array]) => ({
      name,
      type: array instanceof Float32Array ? "f32" : "u32",
      length: array.length
    }))
  }
  const text = new TextEncoder().encode(JSON.stringify(header))
  const arrayBytes = entries.reduce((sum, [, array]) => sum + array.byteLength, 0)
  const bytes = new Uint8Array(prefixBytes + text.length + arrayBytes + digestBytes)
  const numbers = new DataView(bytes.buffer)
  numbers.setUint32(0, magic, true)
  numbers.setUint32(4, version, true)
  numbers.setUint32(8, text.length, true)
  bytes.set(text, prefixBytes)
  let at = prefixBytes + text.length
  for (const [, array] of entries) {
    bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at)
    at += array.byteLength
  }
  bytes.set(digestOf(bytes.subarray(0, at)), at)
  return bytes
}

const readHeader = (bytes: Uint8Array): Header | Unreadable => {
  if (bytes.length < prefixBytes + digestBytes) return new Unreadable("it is cut short")
  const numbers = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (numbers.getUint32(0, true) !== magic) return new Unreadable("it does not begin like one")
  if (numbers.getUint32(4, true) !== version) {
    return new Unreadable(`its form is version ${numbers.getUint32(4, true)}, and this is ${version}`)
  }
  const body = bytes.length - digestBytes
  if (!digestOf(bytes.subarray(0, body)).every((byte, index) => byte === bytes[body + index])) {
    return new Unreadable("its digest does not match")
  }
  const text = bytes.subarray(prefixBytes, prefixBytes + numbers.getUint32(8, true))
  // The digest has shown that `encode` wrote this header.
  return JSON.parse(new TextDecoder().decode(text)) as Header
}

export const decode = (bytes: Uint8Array, kind: string): Content | Unreadable => {
  const header = readHeader(bytes)
  if (header instanceof Unreadable) return header
  if (header.kind !== kind) return new Unreadable(`it is a ${header.kind}, not a ${kind}`)
  const body = bytes.length - digestBytes
  let at = body - header.arrays.reduce((sum, { length }) => sum + length * 4, 0)
  const arrays: Record<string, Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>> = {}
  for (const { length, name, type } of header.arrays) {
    // A copy, because a view would have to begin at a multiple of 4 (and a Buffer's slice is a view).
    const copy = new Uint8Array(bytes.subarray(at, at + length * 4)).buffer
    arrays[name] = type === "f32" ? new Float32Array(copy) : new Uint32Array(copy)
    at += length * 4
  }
  return { kind, about: header.about, arrays }
}
