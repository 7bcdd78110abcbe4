/** The plan hash: SHA-256 over the RFC 8785 form of data, recipe, budget and compute (contract 5). */
import { Digest, sha256 } from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"

/**
 * RFC 8785 (JCS): members sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript writes them.
 * `undefined` members are left out.
 */
export const canonicalJson = (value: Schema.Json | undefined): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null)
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Members)
}

type Members = Readonly<Record<string, Schema.Json | undefined>>

// Loops, not chains: a version of a million rows passes here a million times.
const canonicalArray = (items: ReadonlyArray<Schema.Json>): string => {
  let text = "["
  for (let index = 0; index < items.length; index++) text += (index === 0 ? "" : ",") + canonicalJson(items[index])
  return `${text}]`
}

const canonicalObject = (members: Members): string => {
  let text = ""
  // Without a comparison of one's own, texts are sorted by their UTF-16 code units.
  for (const key of Object.keys(members).sort()) {
    const member = members[key]
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`
  }
  return `{${text}}`
}

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
