/** Checks with one stored value, before any other use, that this start's keys decrypt earlier secrets. */
import * as Partition from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Secrets } from "@limbeck/core/secrets/Secrets"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { InvalidSetting } from "./Settings.ts"

/** There is one, in `Partition.system`. */
const Probe = Schema.Struct({ id: Schema.String, sealed: Schema.String, createdAt: Millis })

const kind = Kind.make({ name: "key_probe", schema: Probe, unique: ({ id }) => id })

const context = "key_probe"

/** The kind of the stored value. */
export const kindName = kind.name

/** Whether the keys decrypt the first start's stored value. */
export const opens = (stored: unknown): Effect.Effect<boolean, Schema.SchemaError, Secrets> =>
  Effect.gen(function* () {
    const { sealed } = yield* Schema.decodeUnknownEffect(Probe)(stored)
    const secrets = yield* Secrets
    return yield* Effect.catchDefect(Effect.as(secrets.open(sealed, context), true), () => Effect.succeed(false))
  })

const wrongKeys = new InvalidSetting({
  setting: "encryptionKeys",
  message: "encryptionKeys has no key that opens what this storage holds; name the earlier keys behind the new one"
})

/** The first start encrypts the value; each later one decrypts it, and encrypts it again with the current first key. */
export const check = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const secrets = yield* Secrets
  const sealed = yield* secrets.seal("probe", context)
  const found = yield* resources.findUnique(Partition.system, kind, "probe")
  if (Option.isNone(found)) {
    // Of servers that start at once one inserts.
    const inserted = resources.insert(Partition.system, kind, {
      id: "probe",
      sealed,
      createdAt: yield* Clock.currentTimeMillis
    })
    return yield* Effect.catchTag(inserted, "AlreadyExists", () => Effect.void)
  }
  const { revision, value } = found.value
  yield* Effect.catchDefect(secrets.open(value.sealed, context), () => Effect.fail(wrongKeys))
  const renewed = resources.compareAndSet(Partition.system, kind, { revision, value: { ...value, sealed } })
  yield* Effect.catchTag(renewed, "RevisionConflict", () => Effect.void)
})
