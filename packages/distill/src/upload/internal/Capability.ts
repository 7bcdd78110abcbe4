/**
 * The capability in a URL, which gives its holder one permission without a token: to send an upload's content, or to read a
 * shared report. It is 256 random bits; storage maps its SHA-256 to the partition.
 */
import * as Id from "@limbeck/core/ids/Id"
import { Ids } from "@limbeck/core/ids/Ids"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Kind from "@limbeck/core/resources/Kind"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import { Millis } from "@limbeck/core/time/Timestamp"
import * as Base62 from "@limbeck/core/tokens/Base62"
import * as Clock from "effect/Clock"
import { Digest, sha256 } from "effect/crypto/Digest"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** The partition of a capability; stored in `Partition.system` by digest. */
const Claim = Schema.Struct({
  id: Id.schema("cap"),
  /** Lowercase hex SHA-256 of the capability. */
  digest: Schema.String,
  partition: Schema.String,
  createdAt: Millis
})

const kind = Kind.make({ name: "capability", schema: Claim, unique: ({ digest }) => digest })

const isWorkspaceId = Id.isOf("ws")
const isPlain = (text: string): boolean => /^[0-9A-Za-z]{43}$/.test(text)

/** Capabilities of earlier versions named their partition in clear, before a dot. Only the digest proves it. */
const namedIn = (text: string): Partition.Partition | undefined => {
  const [claimed = "", random = ""] = text.split(".", 2)
  const key = Result.getOrElse(Base64Url.decodeString(claimed), () => "")
  const [, workspace, mode] = /^(.+)\.(live|test)$/.exec(key) ?? []
  return isWorkspaceId(workspace) && isPlain(random) ? Partition.make(workspace, mode === "live") : undefined
}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const digest = yield* Digest
  const random = yield* SecureRandom

  /** The stored digest of a capability. */
  const digestOf = (text: string) => digest.digestHex(sha256, new TextEncoder().encode(text))

  return {
    digestOf,
    /** Issues a capability for this partition. The same transaction must write its purpose, or it is useless. */
    issue: Effect.fnUntraced(function* (partition: Partition.Partition) {
      const text = Base62.fromBytes(yield* random.randomBytes(32))
      const claim = {
        id: yield* ids.make("cap"),
        digest: yield* digestOf(text),
        partition: partition.key,
        createdAt: yield* Clock.currentTimeMillis
      }
      yield* resources.add(Partition.system, kind, claim)
      return { text, digest: claim.digest }
    }),
    /** The partition of a capability; undefined for an unknown text. */
    partitionOf: Effect.fnUntraced(function* (text: string) {
      if (!isPlain(text)) return namedIn(text)
      const found = yield* resources.findUnique(Partition.system, kind, yield* digestOf(text))
      return Option.isSome(found) ? Partition.fromKey(found.value.value.partition) : undefined
    })
  }
})
