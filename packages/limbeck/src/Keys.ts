/** Checks encryption keys against a closed storage. */
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import * as KeyProbe from "@limbeck/server/KeyProbe"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EncryptionKeys } from "./Assembly.ts"

/** The kind of the resource that tells. */
export const probeKind = KeyProbe.kindName

/** Whether the keys decrypt the servers' stored `probeKind` resource. */
export const open = (keys: EncryptionKeys, stored: unknown) =>
  Effect.provide(KeyProbe.opens(stored), Layer.provide(Secrets.layer(keys), Crypto.layer))
