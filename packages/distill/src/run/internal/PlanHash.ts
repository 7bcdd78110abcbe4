/** The plan hash: SHA-256 over the RFC 8785 form of data, recipe, budget and compute (contract 5). */
import { canonicalJson } from "@limbeck/core/json/CanonicalJson"
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

export interface Plan {
  /** The content digest of the dataset version. */
  readonly data: string
  readonly recipe: Schema.JsonObject
  readonly budget: { readonly max_cost_usd: number }
  readonly compute: {
    readonly profile: string
    readonly machine: string | null
    readonly spot: boolean
    readonly gpu: string | null
  }
}

/** 64 lowercase hexadecimal characters; the same for the same plan, wherever it is made. */
export const planHash = Effect.fnUntraced(function* ({ budget, compute, data, recipe }: Plan) {
  const digest = yield* Digest
  return yield* digest.digestHex(sha256, new TextEncoder().encode(canonicalJson({ data, recipe, budget, compute })))
})
