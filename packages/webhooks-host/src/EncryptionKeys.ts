/** The keys that encrypt secrets at rest: a host gives them, or its environment has them in ENCRYPTION_KEY. */
import { parseKey } from "@limbeck/core/secrets/Secrets"
import { InvalidSetting } from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** 32 bytes: as text in base64, or as bytes that `Redacted` keeps out of logs. */
export type EncryptionKey = string | Redacted.Redacted<Uint8Array>

/** At least one key: the first encrypts, all decrypt. */
export type EncryptionKeys = readonly [Redacted.Redacted<Uint8Array>, ...ReadonlyArray<Redacted.Redacted<Uint8Array>>]

const variable = "ENCRYPTION_KEY"

const refusal = (rule: string) =>
  new InvalidSetting({
    setting: "encryptionKeys",
    message: `encryptionKeys ${rule}. To make a key, run: node -p 'crypto.randomBytes(32).toString("base64")'`
  })

const decode = (key: EncryptionKey): Redacted.Redacted<Uint8Array> | undefined => {
  if (typeof key === "string") return parseKey(key)
  return Redacted.isRedacted(key) && Redacted.value(key).length === 32 ? key : undefined
}

const decodeAll = (keys: ReadonlyArray<EncryptionKey>, rule: string): Effect.Effect<EncryptionKeys, InvalidSetting> => {
  const [first, ...rest] = keys.map(decode)
  const others = rest.filter((key) => key !== undefined)
  return first === undefined || others.length < rest.length
    ? Effect.fail(refusal(rule))
    : Effect.succeed([first, ...others])
}

/** Read at the start of a host and not when this module is loaded: the host may set it in between. */
const fromEnvironment = Effect.suspend(() => {
  const text = process.env[variable] ?? ""
  return text.trim() === ""
    ? Effect.fail(refusal(`must be given, or the environment variable ${variable} must be set`))
    : decodeAll(text.split(","), `cannot be read from ${variable}: it must be 32 bytes in base64, or a list of such`)
})

/** The keys as given, or those of the environment. Fails with `InvalidSetting`, which says how to make a key. */
export const read = (given: ReadonlyArray<EncryptionKey> | undefined): Effect.Effect<EncryptionKeys, InvalidSetting> =>
  given === undefined ? fromEnvironment : decodeAll(given, "must be one key or more, each 32 bytes in base64")
