/**
 * The signature of a webhook: `t=<unix seconds>,v1=<hex HMAC-SHA256>`, over `<t>.<raw body>`, keyed by the whole secret
 * text, so that a stock Stripe-style verifier accepts it (service-api 6.2, 6.3; contract 8). More than one `v1` stands
 * while two secrets overlap.
 */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"
import { Limits } from "../Limits.ts"

const utf8 = new TextEncoder()

const message = (timestamp: string | number, body: Uint8Array): Uint8Array => {
  const head = utf8.encode(`${timestamp}.`)
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

/** A secret's text, or its key: to make the key takes as long as to sign. */
export type Secret = string | Mac.Key

/** A reusable key object for a frequent signer. */
export const keyOf = (secret: string): Effect.Effect<Mac.Key> =>
  Effect.orDie(Mac.key(Mac.hmacSha256, utf8.encode(secret)))

const digest = (mac: Mac.Mac["Service"], secret: Secret, signed: Uint8Array): Effect.Effect<Uint8Array> =>
  typeof secret === "string"
    ? Effect.flatMap(keyOf(secret), (key) => digest(mac, key, signed))
    : Effect.orDie(mac.sign(secret, signed))

interface Signing {
  /** The newest first. */
  readonly secrets: ReadonlyArray<Secret>
  readonly timestampSeconds: number
}

const headerOf = Effect.fnUntraced(function* (signed: Uint8Array, { secrets, timestampSeconds }: Signing) {
  const mac = yield* Mac.Mac
  let header = `t=${timestampSeconds}`
  for (const secret of secrets) header += `,v1=${Hex.encode(yield* digest(mac, secret, signed))}`
  return header
})

/** The header's value for these bytes. */
export const sign = (options: Signing & { readonly body: Uint8Array }): Effect.Effect<string, never, Mac.Mac> =>
  headerOf(message(options.timestampSeconds, options.body), options)

/** The header's value and the bytes of a text, made from one copy. */
export const signText = (
  options: Signing & { readonly text: string }
): Effect.Effect<{ readonly header: string; readonly body: Uint8Array }, never, Mac.Mac> => {
  const head = `${options.timestampSeconds}.`
  const signed = utf8.encode(head + options.text)
  return Effect.map(headerOf(signed, options), (header) => ({ header, body: signed.subarray(head.length) }))
}

export type Verdict = "valid" | "malformed" | "expired" | "no_match"

interface SignatureHeader {
  readonly timestamp: string
  readonly digests: ReadonlyArray<string>
}

/** The values of all fields with a name, in any order among the others. */
const valuesOf = (fields: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  fields.filter((field) => field.startsWith(`${name}=`)).map((field) => field.slice(name.length + 1))

const parse = (header: string): SignatureHeader | undefined => {
  const fields = header.split(",").map((field) => field.trim())
  const timestamps = valuesOf(fields, "t")
  const digests = valuesOf(fields, "v1")
  const [timestamp] = timestamps
  return timestamps.length === 1 && timestamp !== undefined && /^\d{1,15}$/.test(timestamp) && digests.length > 0
    ? { timestamp, digests }
    : undefined
}

const isDigest = /^[0-9a-f]{64}$/

/** What a receiver does, in the order of service-api 6.3; `now` in milliseconds. Digests are compared in constant time. */
export const verify = Effect.fnUntraced(function* (options: {
  readonly body: Uint8Array
  readonly header: string
  readonly secret: string
  readonly now: number
  readonly toleranceSeconds?: number
}): Effect.fn.Return<Verdict, never, Mac.Mac> {
  const parsed = parse(options.header)
  if (parsed === undefined) return "malformed"
  const tolerance = options.toleranceSeconds ?? Limits.signatureToleranceSeconds
  if (Math.abs(options.now / 1000 - Number(parsed.timestamp)) > tolerance) return "expired"
  const expected = yield* digest(yield* Mac.Mac, options.secret, message(parsed.timestamp, options.body))
  const given = parsed.digests.filter((hex) => isDigest.test(hex)).map((hex) => Hex.decode(hex))
  const matched = given.some((bytes) => bytes._tag === "Success" && Mac.timingSafeEqual(bytes.success, expected))
  return matched ? "valid" : "no_match"
})
