/**
 * Identifiers: a prefix for the kind, `_`, and 26 lowercase Crockford base32 characters of a UUIDv7-like 128-bit value, so
 * that ids sort by creation (contract 1).
 */
import * as Schema from "effect/Schema"

export type Id<Prefix extends string> = `${Prefix}_${string}`

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
const body = "[0-9a-hjkmnp-tv-z]{26}"

const patternOf = (prefix: string): RegExp => new RegExp(`^${prefix}_${body}$`)

/** The schema of ids with a prefix. */
export const schema = <const Prefix extends string>(prefix: Prefix) =>
  Schema.TemplateLiteral([`${prefix}_`, Schema.String]).check(
    Schema.isPattern(patternOf(prefix), { message: `an identifier that begins with ${prefix}_` })
  )

/** Whether a value is an identifier of one kind, without the schema's 20 µs. */
export const isOf = <const Prefix extends string>(prefix: Prefix) => {
  const pattern = patternOf(prefix)
  return (value: unknown): value is Id<Prefix> => typeof value === "string" && pattern.test(value)
}

/** The characters of an id's body. */
const characters = 26

/** Encodes bytes in the alphabet, most significant bit first, after `zeros` zero bits. Drops a rest of less than 5 bits. */
const encode = (bytes: Uint8Array, zeros: number): string => {
  let text = ""
  let bits = 0
  let held = zeros
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff
    held += 8
    while (held >= 5) {
      held -= 5
      text += alphabet[(bits >> held) & 31]
    }
  }
  return text
}

/** Writes 16 bytes, most significant first, as 26 characters: 2 zero bits, then the 128. */
export const fromBytes = <Prefix extends string>(prefix: Prefix, bytes: Uint8Array): Id<Prefix> =>
  `${prefix}_${encode(bytes, 2)}`

/** The id of content: the first 26 characters of its digest in the alphabet of ids. */
export const fromDigest = <Prefix extends string>(prefix: Prefix, digest: Uint8Array): Id<Prefix> =>
  `${prefix}_${encode(digest, 0).slice(0, characters)}`

/** The smallest id of a kind that an instant can have: a place in id order for filters by creation time. */
export const floorAt = <Prefix extends string>(prefix: Prefix, at: number): Id<Prefix> => {
  const bytes = new Uint8Array(16)
  for (let i = 5, rest = Math.max(0, at); i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  return fromBytes(prefix, bytes)
}

/** The characters that hold the 48 bits of time, behind two zero bits. */
const timeCharacters = 10

/** When an id was made, in milliseconds. */
export const timeOf = (id: string): number =>
  [...id.slice(-characters, timeCharacters - characters)].reduce((time, one) => time * 32 + alphabet.indexOf(one), 0)

export const WorkspaceId = schema("ws")
export type WorkspaceId = typeof WorkspaceId.Type
export const TokenId = schema("tok")
export type TokenId = typeof TokenId.Type
export const EventId = schema("evt")
export type EventId = typeof EventId.Type
export type RequestId = Id<"req">
