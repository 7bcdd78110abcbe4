/** The key that encrypts secrets at rest: given, or made once and kept in the data folder for its owner only. */
import * as crypto from "node:crypto"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { parseKey } from "@limbeck/core/secrets/Secrets"
import type { EncryptionKeys } from "@limbeck/limbeck/Assembly"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as DataDir from "./DataDir.ts"
import type { Settings } from "./Settings.ts"

const file = "encryption-key"

const readKey = async (name: string) => {
  const key = parseKey(await fs.readFile(name, "utf8"))
  if (key === undefined) throw new Error(`${name} does not hold 32 bytes in base64`)
  return key
}

/** Of two servers that start at once on one folder, one creates the key and both read it. */
const keptKey = async (dataDir: string) => {
  const name = path.join(dataDir, file)
  const draft = `${name}.${crypto.randomUUID()}`
  await fs.writeFile(draft, crypto.randomBytes(32).toString("base64"), { mode: 0o600, flush: true })
  // A link appears whole or not at all, and never replaces a key that is there.
  await fs.link(draft, name).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error
  })
  await fs.rm(draft)
  return readKey(name)
}

/** Whether a start would find a key, and make none. */
export const isThere = ({ dataDir, encryptionKeys }: Settings): boolean =>
  encryptionKeys !== null || existsSync(path.join(dataDir, file))

/** Needs the data folder if the folder keeps the key. */
export const load = Effect.fnUntraced(function* (
  settings: Settings
): Effect.fn.Return<EncryptionKeys, DataDir.DataDirUnusable> {
  const [first, ...rest] = settings.encryptionKeys ?? []
  if (first !== undefined) return [first, ...rest]
  if (settings.storage === "memory") return [Redacted.make(new Uint8Array(crypto.randomBytes(32)))]
  return [yield* Effect.tryPromise({ try: () => keptKey(settings.dataDir), catch: DataDir.refuse })]
})
