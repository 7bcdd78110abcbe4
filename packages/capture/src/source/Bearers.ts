/**
 * Sealed keys as the header that lets a request in. A key takes longer to open than a request to send, so whoever is asked for
 * again and again, from recent knowledge, has it opened once.
 */
import type { Secrets } from "@limbeck/core/secrets/Secrets"
import * as Effect from "effect/Effect"

type Headers = Readonly<Record<string, string>>

/**
 * `holder`: the value that the sealed key was read with; the opened key is forgotten with it. `context`: what the key was sealed
 * under. `headersOf`: a function of `holder` and the key; by default `Authorization: Bearer`.
 */
export type Bearers = (
  holder: object,
  sealedKey: string | null,
  context: string,
  headersOf?: (key: string) => Headers
) => Effect.Effect<Headers>

const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })

const none: Headers = {}

export const make = (secrets: Secrets["Service"]): Bearers => {
  const opened = new WeakMap<object, { readonly context: string; readonly headers: Headers }>()

  return (holder, sealedKey, context, headersOf = bearer) => {
    if (sealedKey === null) return Effect.succeed(none)
    const known = opened.get(holder)
    if (known?.context === context) return Effect.succeed(known.headers)
    return Effect.map(secrets.open(sealedKey, context), (key) => {
      const headers = headersOf(key)
      opened.set(holder, { context, headers })
      return headers
    })
  }
}
