/** The only look-up before a partition is known: it creates partitions. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Token } from "./Token.ts"

export interface Credential {
  readonly partition: Partition
  readonly token: Token
}

export class CredentialStore extends Context.Service<
  CredentialStore,
  {
    /** The token of any partition whose secret has this SHA-256 (lowercase hex). */
    readonly findByDigest: (digest: string) => Effect.Effect<Option.Option<Credential>, StorageError>
  }
>()("@limbeck/core/tokens/CredentialStore") {}
