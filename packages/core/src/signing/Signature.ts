/**
 * The signature of a webhook: `t=<unix seconds>,v1=<hex HMAC-SHA256>`, over `<t>.<raw body>`, keyed by the whole secret
 * text, so that a stock Stripe-style verifier accepts it (service-api 6.2, 6.3; contract 8). More than one `v1` stands
 * while two secrets overlap.
 */
import * as Mac from "effect/crypto/Mac"
import * as Effect from "effect/Effect"
import * as Hex from "effect/encoding/Hex"

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
